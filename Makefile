# `make` lists the targets. VENV=.venv/bin/ uses the environment that the README's commands make.
VENV ?= $(if $(wildcard .venv/bin/python),.venv/bin/,)

.PHONY: help run quick check format test figures bench screenshots
help:         ## list the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/\t/'
run:          ## show the dashboard
	$(VENV)streamlit run app.py
quick:        ## format, lint, types and the tests that take no time: before every commit
	$(VENV)ruff format --check .
	$(VENV)ruff check .
	$(VENV)mypy
	$(VENV)pytest -n auto -m "not slow"
check:        ## the same with all tests: before a push
	$(VENV)ruff format --check .
	$(VENV)ruff check .
	$(VENV)mypy
	$(VENV)pytest -n auto
format:       ## format the code
	$(VENV)ruff format .
	$(VENV)ruff check --fix .
test:         ## the tests alone
	$(VENV)pytest -n auto
figures:      ## convert the published figures anew (FROM=folder of the re-tabulated files)
	$(VENV)python scripts/convert_figures.py --from $(or $(FROM),../shared/figures)
bench:        ## print how fast it is
	$(VENV)python -m bench.dashboard
	$(VENV)python -m bench.pages
	$(VENV)python -m bench.decide
	$(VENV)python -m bench.engine
	$(VENV)python -m bench.calls
	$(VENV)python -m bench.evidence
	$(VENV)python -m bench.paired
	$(VENV)python -m bench.calibration
	$(VENV)python -m bench.corrected
	$(VENV)python -m bench.errands
	$(VENV)python -m bench.answers
screenshots:  ## draw the pictures of the README anew
	$(VENV)python scripts/screenshots.py
