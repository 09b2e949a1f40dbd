"""The part of ECMAScript that this boundary can see: values, property reads, promises, JSON."""
