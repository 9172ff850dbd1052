"""Where works are judged: interchangeable parts behind one ``base``."""
