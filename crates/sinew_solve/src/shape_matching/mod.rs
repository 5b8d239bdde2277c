//! Shape matching on 1-ring regions.
