//! One shape under handles.
