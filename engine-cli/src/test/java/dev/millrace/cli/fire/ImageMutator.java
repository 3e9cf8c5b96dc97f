package dev.millrace.cli.fire;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;

/** Files of images of all formats, which it changes: bits, extents, lengths, and parts that are there twice or not at all. */
final class ImageMutator {
    /** Files that the tools of WebP and JPEG 2000 have written. */
    private static final Path OTHERS =
            Path.of("../engine-providers/cpu/src/test/resources/dev/millrace/providers/cpu/image");

    private static final int[] TYPES = {
        BufferedImage.TYPE_INT_RGB, BufferedImage.TYPE_BYTE_GRAY, BufferedImage.TYPE_BYTE_BINARY,
        BufferedImage.TYPE_BYTE_INDEXED, BufferedImage.TYPE_USHORT_GRAY, BufferedImage.TYPE_4BYTE_ABGR
    };

    private final List<byte[]> seeds = new ArrayList<>();

    ImageMutator() throws IOException {
        for (String format : List.of("png", "jpeg", "gif", "bmp", "tiff")) {
            for (int type : TYPES) {
                seeds.addAll(written(format, type));
            }
        }
        for (String head :
                List.of("P1 5 3\n", "P2 5 3 255\n", "P3 2 2 15\n", "P4 13 3\n", "P5 4 4 65535\n", "P6 3 3 255\n")) {
            seeds.add((head + "1 0 1 1 0 1 0 1 0 0 1 1 0 0 1 0 1 0 1").getBytes(StandardCharsets.US_ASCII));
        }
        try (var files = Files.walk(OTHERS)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                seeds.add(Files.readAllBytes(file));
            }
        }
    }

    /** The files of a drawing as a format's writer makes them; none where it does not take the type. */
    private static List<byte[]> written(String format, int type) throws IOException {
        var image = new BufferedImage(37, 23, type);
        var pen = image.createGraphics();
        pen.setColor(Color.ORANGE);
        pen.fillOval(3, 3, 20, 14);
        pen.dispose();
        var made = new ArrayList<byte[]>();
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
        try {
            ImageWriteParam how = writer.getDefaultWriteParam();
            String[] compressions = how.canWriteCompressed() ? how.getCompressionTypes() : null;
            if (compressions == null) {
                add(made, writer, image, how);
            }
            for (String compression : compressions == null ? new String[0] : compressions) {
                how.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
                how.setCompressionType(compression);
                add(made, writer, image, how);
            }
            if (how.canWriteProgressive()) {
                ImageWriteParam progressive = writer.getDefaultWriteParam();
                progressive.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
                add(made, writer, image, progressive);
            }
        } finally {
            writer.dispose();
        }
        return made;
    }

    private static void add(List<byte[]> made, ImageWriter writer, BufferedImage image, ImageWriteParam how) {
        var out = new ByteArrayOutputStream();
        try (var stream = ImageIO.createImageOutputStream(out)) {
            writer.setOutput(stream);
            writer.write(null, new IIOImage(image, null, null), how);
        } catch (IOException | RuntimeException e) {
            // the format has no such images
            return;
        }
        made.add(out.toByteArray());
    }

    List<byte[]> seeds() {
        return seeds;
    }

    byte[] draw(Random random) {
        byte[] file = seeds.get(random.nextInt(seeds.size())).clone();
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            file = changed(file, random);
        }
        if (random.nextInt(4) > 0) {
            sign(file);
        }
        return file;
    }

    private byte[] changed(byte[] file, Random random) {
        int at = random.nextInt(Math.max(1, random.nextBoolean() ? Math.min(64, file.length) : file.length));
        if (at >= file.length) {
            return file;
        }
        switch (random.nextInt(7)) {
            case 0, 1 -> file[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> file[at] = (byte) random.nextInt(256);
            case 3 -> number(file, at, random);
            case 4 -> {
                return Arrays.copyOf(file, at);
            }
            case 5 -> {
                byte[] other = seeds.get(random.nextInt(seeds.size()));
                int from = random.nextInt(Math.max(1, other.length));
                System.arraycopy(other, from, file, at, Math.min(other.length - from, file.length - at));
            }
            default -> {
                return repeated(file, at, random);
            }
        }
        return file;
    }

    /** A number of two bytes or four, in either order, at its ends. */
    private static void number(byte[] file, int at, Random random) {
        int[] numbers = {0, 1, 0x7fff, 0xffff, 5000, 30_000, 1 << 20, 1 << 24, 1 << 28, Integer.MAX_VALUE, -1};
        int number = numbers[random.nextInt(numbers.length)];
        number = random.nextBoolean() ? number : Integer.reverseBytes(number);
        byte[] bytes = ByteBuffer.allocate(4).putInt(number).array();
        boolean isShort = random.nextBoolean();
        int count = Math.min(isShort ? 2 : 4, file.length - at);
        System.arraycopy(bytes, isShort && random.nextBoolean() ? 2 : 0, file, at, count);
    }

    private static byte[] repeated(byte[] file, int at, Random random) {
        int length = 1 + random.nextInt(Math.min(200, file.length - at));
        int times = 1 + random.nextInt(20);
        byte[] made = Arrays.copyOf(file, file.length + times * length);
        for (int i = 0; i < times; i++) {
            System.arraycopy(file, at, made, at + i * length, length);
        }
        System.arraycopy(file, at, made, at + times * length, file.length - at);
        return made;
    }

    /** The checksums of a PNG file, without which nothing behind them is looked at. */
    private static void sign(byte[] file) {
        if (file.length < 8 || file[1] != 'P' || file[2] != 'N') {
            return;
        }
        ByteBuffer chunks = ByteBuffer.wrap(file);
        for (long at = 8; at + 12 <= file.length; ) {
            int length = chunks.getInt((int) at);
            if (length < 0 || at + 12L + length > file.length) {
                return;
            }
            var crc = new CRC32();
            crc.update(file, (int) at + 4, length + 4);
            chunks.putInt((int) at + 8 + length, (int) crc.getValue());
            at += 12L + length;
        }
    }
}
