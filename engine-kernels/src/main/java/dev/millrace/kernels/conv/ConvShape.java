package dev.millrace.kernels.conv;

import dev.millrace.kernels.image.Axis;

/**
 * The shape of a convolution. One with fewer than three dimensions is {@linkplain Axis#pointwise(int) pointwise} along
 * axes of size 1.
 *
 * @param channels channels of an image, over all groups
 * @param outChannels channels of an output image, over all groups
 * @param groups the number of groups, each of which reads its own part of the channels
 */
public record ConvShape(int batch, int channels, int outChannels, int groups, Axis depth, Axis height, Axis width) {
    public ConvShape {
        if (batch < 0 || channels < 1 || outChannels < 1 || groups < 1) {
            throw new IllegalArgumentException("a convolution of " + batch + " images from " + channels + " to "
                    + outChannels + " channels in " + groups + " groups");
        }
        if (channels % groups != 0 || outChannels % groups != 0) {
            throw new IllegalArgumentException("a convolution from " + channels + " to " + outChannels
                    + " channels, which " + groups + " groups do not divide");
        }
    }

    /** Returns the shape of a convolution of two-dimensional images in one group. */
    public static ConvShape flat(int batch, int channels, int outChannels, Axis height, Axis width) {
        return new ConvShape(batch, channels, outChannels, 1, Axis.pointwise(1), height, width);
    }

    /** Returns this shape with another number of groups. */
    public ConvShape inGroups(int number) {
        return new ConvShape(batch, channels, outChannels, number, depth, height, width);
    }

    /** Returns this shape with another batch size. */
    public ConvShape ofBatch(int images) {
        return new ConvShape(images, channels, outChannels, groups, depth, height, width);
    }

    public int groupChannels() {
        return channels / groups;
    }

    public int groupOutChannels() {
        return outChannels / groups;
    }

    /** The number of pixels of an image. */
    public long inPixels() {
        return (long) depth.in() * height.in() * width.in();
    }

    /** The number of pixels of an output image. */
    public long outPixels() {
        return (long) depth.out() * height.out() * width.out();
    }

    public int taps() {
        return Math.multiplyExact(Math.multiplyExact(depth.taps(), height.taps()), width.taps());
    }

    /** The number of elements of the weights. */
    public long weightElements() {
        return Math.multiplyExact((long) outChannels * groupChannels(), taps());
    }

    /**
     * Returns a pointwise convolution as one over a single long row, since rows make no difference to it; any other
     * shape is returned unchanged.
     */
    ConvShape flattened() {
        if (!depth.isPointwise() || !height.isPointwise() || !width.isPointwise()) {
            return this;
        }
        Axis one = Axis.pointwise(1);
        Axis all = Axis.pointwise(Math.toIntExact(inPixels()));
        return new ConvShape(batch, channels, outChannels, groups, one, one, all);
    }
}
