package dev.millrace.pipelines.image;

import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A stage from an image to the text in it: lines are found, turned if they are upside down, and read. */
public final class TextReader implements Stage<RgbImage, List<TextLine>> {
    /** A line that is so much higher than wide runs from top to bottom. */
    private static final double UPRIGHT = 1.5;

    private final Stage<RgbImage, List<TextRegion>> detector;
    private final Stage<RgbImage, ReadText> reader;
    private final double least;

    private TextReader(Stage<RgbImage, List<TextRegion>> detector, Stage<RgbImage, ReadText> reader, double least) {
        this.detector = detector;
        this.reader = reader;
        this.least = least;
    }

    /**
     * Returns a reader of text.
     *
     * @param direction turns lines; null where none is upside down
     */
    public static TextReader of(
            Stage<RgbImage, List<TextRegion>> detector,
            @Nullable Stage<RgbImage, RgbImage> direction,
            Stage<RgbImage, ReadText> recogniser) {
        StageArguments.require(detector, "detector");
        StageArguments.require(recogniser, "recogniser");
        return new TextReader(detector, direction == null ? recogniser : direction.then(recogniser), 0.5);
    }

    /** Returns this reader without lines whose mean probability is below a number; by default 0.5. */
    public TextReader leastScore(double score) {
        return new TextReader(detector, reader, score);
    }

    private static RgbImage crop(RgbImage image, TextRegion region) {
        Quad quad = region.quad();
        int width = Math.max(1, (int) quad.width());
        int height = Math.max(1, (int) quad.height());
        RgbImage line = image.unwarped(quad, width, height);
        return height >= UPRIGHT * width ? line.turnedLeft() : line;
    }

    private List<TextLine> lines(List<TextRegion> regions, List<ReadText> texts) {
        var lines = new ArrayList<TextLine>();
        for (int i = 0; i < regions.size(); i++) {
            ReadText read = texts.get(i);
            if (read.score() >= least && !read.text().isBlank()) {
                lines.add(new TextLine(regions.get(i).quad(), read.text(), read.score()));
            }
        }
        return List.copyOf(lines);
    }

    @Override
    public List<TextLine> run(RgbImage image) {
        List<TextRegion> regions = detector.run(image);
        return lines(
                regions,
                regions.stream().map(region -> reader.run(crop(image, region))).toList());
    }

    /** Returns the text of an image. Several lines are read at a time, as far as the model's concurrency allows. */
    @Override
    public Mono<List<TextLine>> mono(RgbImage image) {
        return detector.mono(image)
                .flatMap(regions -> reader.flux(Flux.fromIterable(regions).map(region -> crop(image, region)))
                        .collectList()
                        .map(texts -> lines(regions, texts)));
    }

    @Override
    public int concurrency() {
        return detector.concurrency();
    }
}
