"""What a question costs: functions of records and frames, without files or hidden defaults."""
