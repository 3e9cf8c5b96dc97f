/** A provider for an imaginary NPU, in a jar of its own, as somebody outside of the engine would write it. */
@NullMarked
package dev.millrace.example.npu;

import org.jspecify.annotations.NullMarked;
