/** Tests of convolutions and pooling. */
@NullMarked
package dev.millrace.providers.cpu.window;

import org.jspecify.annotations.NullMarked;
