"""The part of ECMAScript that the bindings can see: values, property reads, promises, JSON."""
