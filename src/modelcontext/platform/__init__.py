"""The platform: the parts of the standards below the specification, named as in them."""
