"""What runs are doing while they are played."""
