"""Parts that a server may have besides the kernel: each a folder with one seam."""
