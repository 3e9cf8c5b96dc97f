package dev.millrace.providers.cpu.image;

import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.awt.image.BufferedImage;

/** The formats P1 to P6: bitmaps, graymaps and pixmaps, as text or binary. */
final class PortableMap {
    private final byte[] file;
    private final Runnable check;
    private int at = 2;

    private PortableMap(byte[] file, Runnable check) {
        this.file = file;
        this.check = check;
    }

    /** @param check throws where nobody waits for the image any more */
    static BufferedImage read(byte[] file, Runnable check) {
        return new PortableMap(file, check).image(file[1] - '0');
    }

    private BufferedImage image(int kind) {
        int width = number();
        int height = number();
        boolean bits = kind == 1 || kind == 4;
        boolean text = kind <= 3;
        int max = bits ? 1 : number();
        int channels = kind == 3 || kind == 6 ? 3 : 1;
        if (max <= 0 || max > 65535) {
            throw broken("its largest value is " + max);
        }
        ImageLimits.pixels(width, height, file.length);
        at++;
        var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            check.run();
            int bit = 0;
            for (int x = 0; x < width; x++) {
                int rgb = 0;
                for (int c = 0; c < channels; c++) {
                    int value;
                    if (text) {
                        value = bits ? digit() : number();
                    } else if (bits) {
                        value = (octet(at + bit / 8) >> (7 - bit % 8)) & 1;
                        bit++;
                    } else {
                        value = max < 256 ? octet(at++) : octet(at++) << 8 | octet(at++);
                    }
                    int scaled = bits ? 255 * (1 - value) : Math.min(255, (value * 255 + max / 2) / max);
                    rgb = rgb << 8 | scaled;
                }
                image.setRGB(x, y, channels == 1 ? rgb * 0x010101 : rgb);
            }
            at += (bit + 7) / 8;
        }
        return image;
    }

    private int octet(int index) {
        if (index >= file.length) {
            throw broken("it ends early");
        }
        return file[index] & 255;
    }

    private void skipSpace() {
        while (Character.isWhitespace(octet(at)) || octet(at) == '#') {
            if (octet(at) == '#') {
                while (octet(at) != '\n') {
                    at++;
                }
            }
            at++;
        }
    }

    private int digit() {
        skipSpace();
        return octet(at++) - '0';
    }

    private int number() {
        skipSpace();
        long value = 0;
        int start = at;
        while (at < file.length && Character.isDigit(file[at]) && value < 1 << 28) {
            value = value * 10 + file[at++] - '0';
        }
        if (at == start) {
            throw broken("a number is missing at byte " + at);
        }
        return (int) value;
    }

    private static IllegalArgumentException broken(String why) {
        return new IllegalArgumentException("the PNM image is broken: " + why);
    }
}
