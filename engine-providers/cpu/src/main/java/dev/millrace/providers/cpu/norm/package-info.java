/** Normalisations: by batch, layer, group, instance, root mean square, p-norm and neighbourhood. */
@NullMarked
package dev.millrace.providers.cpu.norm;

import org.jspecify.annotations.NullMarked;
