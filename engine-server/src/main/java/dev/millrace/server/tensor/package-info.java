/** Tensors as the protocol names, packs and prints them. */
@NullMarked
package dev.millrace.server.tensor;

import org.jspecify.annotations.NullMarked;
