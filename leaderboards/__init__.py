"""What follows: scores, boards, standings. Delete every row and one command rebuilds them."""
