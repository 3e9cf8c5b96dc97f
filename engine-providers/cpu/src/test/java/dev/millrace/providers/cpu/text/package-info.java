/** Tests of the kernels of operators on texts and their items. */
@NullMarked
package dev.millrace.providers.cpu.text;

import org.jspecify.annotations.NullMarked;
