package dev.millrace.kernels.conv;

import dev.millrace.kernels.image.Axis;

/**
 * What a convolution is over. One with fewer dimensions has {@linkplain Axis#pointwise(int) nothing sliding} along
 * axes of size 1.
 *
 * @param channels of an image, all groups together
 * @param outChannels of an output image, all groups together
 * @param groups each of which sees its part of the channels only
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

    /** Of flat images, in one group. */
    public static ConvShape flat(int batch, int channels, int outChannels, Axis height, Axis width) {
        return new ConvShape(batch, channels, outChannels, 1, Axis.pointwise(1), height, width);
    }

    /** The same in groups. */
    public ConvShape inGroups(int number) {
        return new ConvShape(batch, channels, outChannels, number, depth, height, width);
    }

    /** The same over so many images. */
    public ConvShape ofBatch(int images) {
        return new ConvShape(images, channels, outChannels, groups, depth, height, width);
    }

    public int groupChannels() {
        return channels / groups;
    }

    public int groupOutChannels() {
        return outChannels / groups;
    }

    /** Elements of a channel of an image. */
    public long inPixels() {
        return (long) depth.in() * height.in() * width.in();
    }

    /** Elements of a channel of an output image. */
    public long outPixels() {
        return (long) depth.out() * height.out() * width.out();
    }

    public int taps() {
        return Math.multiplyExact(Math.multiplyExact(depth.taps(), height.taps()), width.taps());
    }

    /** Elements of the weights. */
    public long weightElements() {
        return Math.multiplyExact((long) outChannels * groupChannels(), taps());
    }

    /**
     * The same over long rows where no axis slides: rows do not matter then.
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
