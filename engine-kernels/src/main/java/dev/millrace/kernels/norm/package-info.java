/**
 * Normalisations: of rows (layer normalisation, root mean square), of groups of channels, of instances and of batches.
 */
@NullMarked
package dev.millrace.kernels.norm;

import org.jspecify.annotations.NullMarked;
