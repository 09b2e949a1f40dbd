"""The part of ECMAScript that the bindings use: values, property reads, promises, JSON."""
