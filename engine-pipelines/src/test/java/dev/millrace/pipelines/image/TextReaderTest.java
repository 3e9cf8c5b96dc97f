package dev.millrace.pipelines.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.FixedInference;
import dev.millrace.pipelines.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class TextReaderTest {
    private static final List<String> LETTERS = List.of("a", "b");

    private static double area(List<Point> points, double angle) {
        double cos = Math.cos(angle);
        double sin = Math.sin(angle);
        var u = points.stream().mapToDouble(p -> p.x() * cos + p.y() * sin).summaryStatistics();
        var v = points.stream().mapToDouble(p -> p.y() * cos - p.x() * sin).summaryStatistics();
        return (u.getMax() - u.getMin()) * (v.getMax() - v.getMin());
    }

    @Test
    void noTurnedRectangleAroundPointsIsSmaller() {
        var random = new SplittableRandom(5);
        for (int round = 0; round < 200; round++) {
            var points = new ArrayList<Point>();
            for (int i = random.nextInt(3, 30); i > 0; i--) {
                points.add(new Point(random.nextInt(40), random.nextInt(40)));
            }
            SmallestRectangle smallest = SmallestRectangle.around(points);
            for (Point point : points) {
                assertThat(smallest.contains(point.x(), point.y())).isTrue();
            }
            double least = Double.POSITIVE_INFINITY;
            for (double degrees = 0; degrees < 90; degrees += 0.5) {
                least = Math.min(least, area(points, Math.toRadians(degrees)));
            }
            assertThat(smallest.area()).isLessThanOrEqualTo(least + 1e-6);
        }
        assertThat(SmallestRectangle.around(List.of(new Point(3, 4))).area()).isZero();
        assertThat(SmallestRectangle.around(List.of(new Point(0, 0), new Point(3, 4)))
                        .perimeter())
                .isCloseTo(10, within(1e-9));
    }

    @Test
    void cornersBeginAtTheUpperLeft() {
        for (double degrees : new double[] {0, 20, -30, 90, 110, 180, -160}) {
            double angle = Math.toRadians(degrees);
            var rectangle = new SmallestRectangle(new Point(50, 50), angle, 40, 10);
            Quad quad = rectangle.corners();
            assertThat(quad.topLeft().x()).isLessThan(quad.topRight().x());
            assertThat(quad.topLeft().y()).isLessThan(quad.bottomLeft().y());
            assertThat(quad.topLeft().distance(quad.topRight()) * quad.topLeft().distance(quad.bottomLeft()))
                    .isCloseTo(400, within(1e-6));
        }
    }

    /** A map with two lines beside each other and one below that is a little turned. */
    private static float probability(int x, int y) {
        boolean first = x >= 10 && x < 50 && y >= 20 && y < 28;
        boolean second = x >= 60 && x < 90 && y >= 21 && y < 29;
        double turnedX = (x - 50) * Math.cos(0.2) + (y - 64) * Math.sin(0.2);
        double turnedY = (y - 64) * Math.cos(0.2) - (x - 50) * Math.sin(0.2);
        boolean third = Math.abs(turnedX) < 30 && Math.abs(turnedY) < 5;
        boolean weak = x >= 100 && x < 120 && y >= 60 && y < 70;
        return first || second || third ? 0.9f : weak ? 0.4f : 0.01f;
    }

    private static final FixedInference MAP = FixedInference.ofImages(1, image -> {
        Shape shape = image.shape();
        float[] map = new float[(int) (shape.dim(2) * shape.dim(3))];
        for (int i = 0; i < map.length; i++) {
            map[i] = probability(i % (int) shape.dim(3), i / (int) shape.dim(3));
        }
        return new Tensor[] {Tensor.copyOf(map, 1, 1, shape.dim(2), shape.dim(3))};
    });

    private static final Stage<RgbImage, List<TextRegion>> DETECTOR =
            TextDetector.of(MAP, TextDetector.Options.defaults());

    @Test
    void regionsBecomeLinesInTheOrderOfReading() {
        // the input has the extents of the image, which are multiples of 32
        List<TextRegion> regions = DETECTOR.run(RgbImage.filled(128, 96, 255));
        assertThat(regions).hasSize(3);
        // a middle of 39x7 pixels grows by 273 * 1.5 / 92 on all sides
        double growth = 273 * 1.5 / 92;
        Box first = regions.get(0).quad().bounds();
        assertThat(first.left()).isCloseTo(10 - growth, within(1e-6));
        assertThat(first.bottom()).isCloseTo(27 + growth, within(1e-6));
        assertThat(regions.get(1).quad().bounds().left()).isGreaterThan(50);
        Quad third = regions.get(2).quad();
        assertThat(Math.atan2(
                        third.topRight().y() - third.topLeft().y(),
                        third.topRight().x() - third.topLeft().x()))
                .isCloseTo(0.2, within(0.05));
        assertThat(regions.getFirst().score()).isCloseTo(0.9, within(1e-6));
    }

    /** Reads a line by its width: as many letters as it has times 10 pixels, each in two steps with a gap before. */
    private static Tensor steps(Tensor line) {
        int letters = (int) line.shape().dim(3) / 160;
        float[] values = new float[letters * 3 * 4];
        for (int i = 0; i < letters; i++) {
            values[i * 12] = 1;
            values[i * 12 + 4 + 1 + i % 2] = 0.8f;
            values[i * 12 + 8 + 1 + i % 2] = 0.6f;
        }
        return Tensor.copyOf(values, 1, letters * 3L, 4);
    }

    private static final FixedInference READER = FixedInference.ofImages(1, line -> new Tensor[] {steps(line)});

    @Test
    void repeatedClassesAreOneCharacter() {
        Stage<RgbImage, ReadText> stage = TextRecogniser.of(READER, LETTERS);
        ReadText read = stage.run(RgbImage.filled(100, 10, 0));
        // an input of 480 pixels
        assertThat(read.text()).isEqualTo("aba");
        assertThat(read.score()).isCloseTo(0.8, within(1e-6));
        // the smallest input has 320 pixels
        assertThat(stage.run(RgbImage.filled(10, 10, 0)).text()).isEqualTo("ab");
        assertThatThrownBy(() -> TextRecogniser.of(READER, List.of("a")).run(RgbImage.filled(100, 10, 0)))
                .hasMessageContaining("the model knows 4 classes: 1 characters");
    }

    @Test
    void theClassBehindTheCharactersIsTheSpace() {
        FixedInference space = FixedInference.ofImages(1, line ->
                new Tensor[] {Tensor.copyOf(new float[] {0, 0.7f, 0, 0, 0, 0, 0, 0.9f, 0, 0.7f, 0, 0}, 1, 3, 4)});
        assertThat(TextRecogniser.of(space, LETTERS)
                        .run(RgbImage.filled(9, 9, 0))
                        .text())
                .isEqualTo("a a");
    }

    @Test
    void linesAreFoundTurnedAndRead() {
        var turned = new ArrayList<RgbImage>();
        FixedInference upsideDown =
                FixedInference.ofImages(1, line -> new Tensor[] {Tensor.copyOf(new float[] {0.05f, 0.95f}, 1, 2)});
        Stage<RgbImage, RgbImage> direction = TextDirection.of(upsideDown, 0.9).map(line -> {
            turned.add(line);
            return line;
        });
        TextReader reader = TextReader.of(DETECTOR, direction, TextRecogniser.of(READER, LETTERS));
        RgbImage image = RgbImage.filled(128, 96, 255);
        List<TextLine> lines = reader.run(image);
        assertThat(lines).hasSize(3).allMatch(line -> line.text().startsWith("ab"));
        assertThat(turned).hasSize(3);
        StepVerifier.create(reader.mono(image)).expectNext(lines).verifyComplete();
        assertThat(reader.leastScore(0.9).run(image)).isEmpty();
    }
}
