package dev.millrace.providers.cpu.image.source;

/** How large an image may be. Some formats say a million equal pixels in a few bits, so a small file may claim anything. */
public final class ImageLimits {
    private static final long MOST = 1L << 28;
    private static final long WITHOUT_BYTES = 1L << 23;
    private static final long PER_BYTE = 1L << 12;

    private ImageLimits() {}

    /** How many pixels an image has; throws where it is empty, or larger than its file makes credible. */
    public static int pixels(long width, long height, long bytes) {
        long most = Math.min(MOST, WITHOUT_BYTES + bytes * PER_BYTE);
        if (width <= 0 || height <= 0 || width > most / height) {
            throw new IllegalArgumentException("an image of " + width + " × " + height + " pixels in " + bytes
                    + " bytes; possible are 1 to " + most + " pixels");
        }
        return (int) (width * height);
    }
}
