/** The plain provider: every operator, every type, one readable kernel each. Fallback and oracle of all others. */
@NullMarked
package dev.millrace.providers.cpu;

import org.jspecify.annotations.NullMarked;
