//! FEM on tetrahedra.
