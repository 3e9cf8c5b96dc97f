package dev.millrace.pipelines.image;

import dev.millrace.graph.tensor.Tensor;

/**
 * An image as a model takes it.
 *
 * @param tensor the input of the model
 * @param width the width of the input in pixels
 * @param height the height of the input in pixels
 * @param image the image that it was made of
 * @param placement the place of the image in the input
 */
public record PreparedImage(Tensor tensor, int width, int height, RgbImage image, ImagePlacement placement) {}
