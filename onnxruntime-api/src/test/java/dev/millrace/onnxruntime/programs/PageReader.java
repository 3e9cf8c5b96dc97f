package dev.millrace.onnxruntime.programs;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Optical character recognition with PP-OCR's models, as a program over ONNX Runtime's API and plain Java has it. Extents are multiples of
 * 32.
 */
public final class PageReader implements AutoCloseable {
    private static final float[] MEAN = {0.485f, 0.456f, 0.406f};
    private static final float[] DEVIATION = {0.229f, 0.224f, 0.225f};
    private static final float[] HALF = {0.5f, 0.5f, 0.5f};

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession detection;
    private final OrtSession direction;
    private final OrtSession recognition;
    private final List<String> characters;

    public PageReader(Path detection, Path direction, Path recognition, Path characters)
            throws OrtException, IOException {
        this.detection = environment.createSession(detection.toString());
        this.direction = environment.createSession(direction.toString());
        this.recognition = environment.createSession(recognition.toString());
        this.characters = Files.readAllLines(characters);
    }

    /** A line: the corners of its rectangle as x and y, from the upper left one clockwise, and its text. */
    public record Line(double[][] corners, String text) {}

    public List<Line> read(BufferedImage image) throws OrtException {
        int width = image.getWidth();
        int height = image.getHeight();
        float[][] map =
                ((float[][][][]) run(detection, tensor(image, MEAN, DEVIATION, width), 1, 3, height, width))[0][0];
        var boxes = new ArrayList<double[][]>();
        boolean[][] seen = new boolean[height][width];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                if (map[y][x] > 0.3f && !seen[y][x]) {
                    double[][] box = box(map, component(map, seen, x, y));
                    if (box != null) {
                        boxes.add(box);
                    }
                }
            }
        }
        boxes.sort(Comparator.comparingDouble(box -> box[0][1] + box[2][1]));
        var lines = new ArrayList<Line>();
        for (double[][] box : boxes) {
            BufferedImage crop = crop(image, box);
            float[][] turned = (float[][]) run(direction, line(crop, 192, 192), 1, 3, 48, 192);
            if (turned[0][1] > 0.9f) {
                crop = turn(crop);
            }
            int lineWidth = Math.max(320, (int) Math.ceil(48.0 * crop.getWidth() / crop.getHeight()));
            float[][][] steps = (float[][][]) run(recognition, line(crop, 320, 9600), 1, 3, 48, lineWidth);
            lines.add(new Line(box, text(steps[0])));
        }
        return lines;
    }

    private Object run(OrtSession session, float[] values, long... shape) throws OrtException {
        String input = session.getInputNames().iterator().next();
        try (OnnxTensor tensor = OnnxTensor.createTensor(environment, FloatBuffer.wrap(values), shape);
                OrtSession.Result result = session.run(Map.of(input, tensor))) {
            return result.get(0).getValue();
        }
    }

    /** Blue, green, red; zeros behind the image up to {@code width}. */
    private static float[] tensor(BufferedImage image, float[] mean, float[] deviation, int width) {
        float[] values = new float[3 * image.getHeight() * width];
        for (int channel = 0; channel < 3; channel++) {
            for (int y = 0; y < image.getHeight(); y++) {
                for (int x = 0; x < image.getWidth(); x++) {
                    int value = image.getRGB(x, y) >> 8 * channel & 255;
                    values[(channel * image.getHeight() + y) * width + x] =
                            (value / 255f - mean[channel]) / deviation[channel];
                }
            }
        }
        return values;
    }

    private static float[] line(BufferedImage crop, int least, int most) {
        int width = Math.min(most, (int) Math.ceil(48.0 * crop.getWidth() / crop.getHeight()));
        return tensor(resize(crop, width, 48), HALF, HALF, Math.max(least, width));
    }

    private static List<int[]> component(float[][] map, boolean[][] seen, int x, int y) {
        var pixels = new ArrayList<int[]>();
        var open = new ArrayDeque<int[]>(List.of(new int[] {x, y}));
        seen[y][x] = true;
        while (!open.isEmpty()) {
            int[] at = open.pop();
            pixels.add(at);
            for (int i = 0; i < 9; i++) {
                int nextX = at[0] + i % 3 - 1;
                int nextY = at[1] + i / 3 - 1;
                if (nextY >= 0
                        && nextY < map.length
                        && nextX >= 0
                        && nextX < map[0].length
                        && map[nextY][nextX] > 0.3f
                        && !seen[nextY][nextX]) {
                    seen[nextY][nextX] = true;
                    open.push(new int[] {nextX, nextY});
                }
            }
        }
        return pixels;
    }

    /** The smallest rectangle in the direction of any two pixels at the border, made larger; null where it is no text. */
    private static double @Nullable [][] box(float[][] map, List<int[]> pixels) {
        var first = new HashMap<Integer, int[]>();
        var last = new HashMap<Integer, int[]>();
        for (int[] at : pixels) {
            first.merge(at[1], at, (left, other) -> left[0] < other[0] ? left : other);
            last.merge(at[1], at, (right, other) -> right[0] > other[0] ? right : other);
        }
        var border = new ArrayList<>(first.values());
        border.addAll(last.values());
        double[] best = rectangle(border, 0);
        for (int[] from : border) {
            for (int[] to : border) {
                if (from != to) {
                    double angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
                    double turned = angle - Math.rint(angle / (Math.PI / 2)) * Math.PI / 2;
                    double[] next = rectangle(border, turned);
                    if (area(next) < area(best) - 1e-6) {
                        best = next;
                    }
                }
            }
        }
        double width = best[2] - best[1];
        double height = best[4] - best[3];
        if (Math.min(width, height) < 3 || score(map, best) < 0.6) {
            return null;
        }
        double growth = width * height * 1.5 / (2 * (width + height));
        return new double[][] {
            corner(best, best[1] - growth, best[3] - growth, map),
            corner(best, best[2] + growth, best[3] - growth, map),
            corner(best, best[2] + growth, best[4] + growth, map),
            corner(best, best[1] - growth, best[4] + growth, map)
        };
    }

    /** The angle, and the least and largest coordinates along it and across. */
    private static double[] rectangle(List<int[]> pixels, double angle) {
        double[] made = {angle, 1e9, -1e9, 1e9, -1e9};
        for (int[] at : pixels) {
            double along = at[0] * Math.cos(angle) + at[1] * Math.sin(angle);
            double across = at[1] * Math.cos(angle) - at[0] * Math.sin(angle);
            made[1] = Math.min(made[1], along);
            made[2] = Math.max(made[2], along);
            made[3] = Math.min(made[3], across);
            made[4] = Math.max(made[4], across);
        }
        return made;
    }

    private static double area(double[] rectangle) {
        return (rectangle[2] - rectangle[1]) * (rectangle[4] - rectangle[3]);
    }

    private static double[] corner(double[] rectangle, double along, double across, float[][] map) {
        double x = along * Math.cos(rectangle[0]) - across * Math.sin(rectangle[0]);
        double y = along * Math.sin(rectangle[0]) + across * Math.cos(rectangle[0]);
        return new double[] {Math.clamp(x, 0, map[0].length), Math.clamp(y, 0, map.length)};
    }

    private static double score(float[][] map, double[] rectangle) {
        double sum = 0;
        int count = 0;
        for (int y = 0; y < map.length; y++) {
            for (int x = 0; x < map[0].length; x++) {
                double along = x * Math.cos(rectangle[0]) + y * Math.sin(rectangle[0]);
                double across = y * Math.cos(rectangle[0]) - x * Math.sin(rectangle[0]);
                if (along > rectangle[1] - 1e-6
                        && along < rectangle[2] + 1e-6
                        && across > rectangle[3] - 1e-6
                        && across < rectangle[4] + 1e-6) {
                    sum += map[y][x];
                    count++;
                }
            }
        }
        return sum / count;
    }

    private static double distance(double[] a, double[] b) {
        return Math.hypot(a[0] - b[0], a[1] - b[1]);
    }

    private static BufferedImage crop(BufferedImage image, double[][] box) {
        int width = (int) Math.max(distance(box[0], box[1]), distance(box[2], box[3]));
        int height = (int) Math.max(distance(box[0], box[3]), distance(box[1], box[2]));
        var crop = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                double along = (double) x / width;
                double down = (double) y / height;
                double fromX = box[0][0] + along * (box[1][0] - box[0][0]) + down * (box[3][0] - box[0][0]);
                double fromY = box[0][1] + along * (box[1][1] - box[0][1]) + down * (box[3][1] - box[0][1]);
                crop.setRGB(x, y, between(image, fromX, fromY));
            }
        }
        return crop;
    }

    private static BufferedImage turn(BufferedImage image) {
        var turned = new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                turned.setRGB(image.getWidth() - 1 - x, image.getHeight() - 1 - y, image.getRGB(x, y));
            }
        }
        return turned;
    }

    public static BufferedImage resize(BufferedImage image, int width, int height) {
        var made = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                double fromX = (x + 0.5) * image.getWidth() / width - 0.5;
                double fromY = (y + 0.5) * image.getHeight() / height - 0.5;
                made.setRGB(x, y, between(image, fromX, fromY));
            }
        }
        return made;
    }

    private static int between(BufferedImage image, double x, double y) {
        int left = (int) Math.floor(x);
        int top = (int) Math.floor(y);
        int rgb = 0;
        for (int shift = 0; shift < 24; shift += 8) {
            double upper =
                    value(image, left, top, shift) * (left + 1 - x) + value(image, left + 1, top, shift) * (x - left);
            double lower = value(image, left, top + 1, shift) * (left + 1 - x)
                    + value(image, left + 1, top + 1, shift) * (x - left);
            rgb |= (int) Math.round(upper * (top + 1 - y) + lower * (y - top)) << shift;
        }
        return rgb;
    }

    private static int value(BufferedImage image, int x, int y, int shift) {
        int inside = image.getRGB(Math.clamp(x, 0, image.getWidth() - 1), Math.clamp(y, 0, image.getHeight() - 1));
        return inside >> shift & 255;
    }

    private String text(float[][] steps) {
        var text = new StringBuilder();
        int before = 0;
        for (float[] step : steps) {
            int best = 0;
            for (int i = 1; i < step.length; i++) {
                best = step[i] > step[best] ? i : best;
            }
            if (best > 0 && best != before) {
                text.append(best <= characters.size() ? characters.get(best - 1) : " ");
            }
            before = best;
        }
        return text.toString();
    }

    @Override
    public void close() throws OrtException {
        detection.close();
        direction.close();
        recognition.close();
    }
}
