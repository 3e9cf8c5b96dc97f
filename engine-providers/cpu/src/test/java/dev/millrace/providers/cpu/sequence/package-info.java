/** Tests of operators on sequences and optionals. */
@NullMarked
package dev.millrace.providers.cpu.sequence;

import org.jspecify.annotations.NullMarked;
