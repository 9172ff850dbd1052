"""Pictures without a drawing library: figures of plain data, as SVG with stable bytes and as text for a terminal."""

from grader.student.pictures.curve import Curve
from grader.student.pictures.grid import Grid
from grader.student.pictures.picture import Figure, Picture
from grader.student.pictures.tree import Node, Tree

__all__ = ["Curve", "Figure", "Grid", "Node", "Picture", "Tree"]
