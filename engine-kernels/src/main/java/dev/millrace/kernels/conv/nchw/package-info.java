/**
 * Windows over NCHW images of few channels, in fp32: the vectors lie along the rows of the image, not along its
 * channels. Direct convolution and pooling of such images are built of them.
 */
@NullMarked
package dev.millrace.kernels.conv.nchw;

import org.jspecify.annotations.NullMarked;
