"""What the tests of faults share; :mod:`faultlist` makes a list of them."""
