"""Statistics as pure functions of data frames: no files, no SQL, no Streamlit."""
