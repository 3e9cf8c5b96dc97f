/**
 * The provider {@code cpu}: every operator and every type, with one readable kernel each. It is the fallback of all
 * other providers, and the reference that they are tested against.
 */
@NullMarked
package dev.millrace.providers.cpu;

import org.jspecify.annotations.NullMarked;
