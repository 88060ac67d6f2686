"""The tables over HTTP: an interface for programs and a page for people.

What is asked is read in `asked`, answered in `answers`, and kept for the next who asks in
`application`, which holds it all together. `document` describes the interface, `pages` has the
files of the page, `limits` what a request may take, and `serving` opens the port. Needs the extra
``web``: Starlette and uvicorn.
"""
