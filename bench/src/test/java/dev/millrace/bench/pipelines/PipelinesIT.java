package dev.millrace.bench.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
import dev.millrace.onnxruntime.programs.PageReader;
import dev.millrace.onnxruntime.programs.Samples;
import dev.millrace.onnxruntime.programs.VoiceFinder;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.audio.AudioClip;
import dev.millrace.pipelines.audio.VoiceDetector;
import dev.millrace.pipelines.audio.VoiceSegment;
import dev.millrace.pipelines.audio.WakeOptions;
import dev.millrace.pipelines.audio.WakeScore;
import dev.millrace.pipelines.audio.WakeWordDetector;
import dev.millrace.pipelines.image.Detection;
import dev.millrace.pipelines.image.FaceDetector;
import dev.millrace.pipelines.image.RgbImage;
import dev.millrace.pipelines.image.TextDetector;
import dev.millrace.pipelines.image.TextDirection;
import dev.millrace.pipelines.image.TextLine;
import dev.millrace.pipelines.image.TextReader;
import dev.millrace.pipelines.image.TextRecogniser;
import dev.millrace.pipelines.imageio.ImageFiles;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Tests that pipelines over real models find what programs over ONNX Runtime find: the same boxes, texts and segments. */
@Tag("reference")
class PipelinesIT {
    private static Path model(String name) {
        try {
            return ModelCache.ofUser().fetch(known(name));
        } catch (EngineException e) {
            return abort("model " + name + " cannot be fetched here: " + e.getMessage());
        }
    }

    private static KnownModel known(String name) {
        return Objects.requireNonNull(ModelCatalog.find(name));
    }

    @Test
    void aPageHasTheLinesAndBoxesThatTheReferenceReads() throws Exception {
        Path characters;
        try {
            KnownModel recognition = known("ppocr-rec");
            characters = ModelCache.ofUser()
                    .extra(recognition, recognition.extras().getFirst().path());
        } catch (EngineException e) {
            characters = abort("the characters cannot be fetched here: " + e.getMessage());
        }
        if (!Samples.hasFonts()) {
            abort("there are no fonts to draw a page with");
        }
        BufferedImage page = Samples.page();
        try (Engine engine = Engine.create();
                Session detection = engine.session(model("ppocr-det"));
                Session direction = engine.session(model("ppocr-cls"));
                Session recognition = engine.session(model("ppocr-rec"));
                var reference =
                        new PageReader(model("ppocr-det"), model("ppocr-cls"), model("ppocr-rec"), characters)) {
            TextReader reader = TextReader.of(
                    TextDetector.of(detection, TextDetector.Options.defaults()),
                    TextDirection.of(direction, 0.9),
                    TextRecogniser.of(recognition, Files.readAllLines(characters)));
            RgbImage image = ImageFiles.of(page);
            List<TextLine> lines = reader.run(image);
            List<PageReader.Line> expected = reference.read(page);
            assertThat(lines)
                    .extracting(TextLine::text)
                    .isEqualTo(expected.stream().map(PageReader.Line::text).toList());
            // the model leaves out some spaces
            assertThat(lines)
                    .extracting(line -> line.text().replace(" ", ""))
                    .containsExactly("HelloMillrace2026", "Invoice1234.50EUR", "upsidedown", "alinethatisturned");
            for (int i = 0; i < lines.size(); i++) {
                for (int corner = 0; corner < 4; corner++) {
                    double[] place = expected.get(i).corners()[corner];
                    assertThat(lines.get(i).quad().corners().get(corner).x()).isCloseTo(place[0], within(1e-3));
                    assertThat(lines.get(i).quad().corners().get(corner).y()).isCloseTo(place[1], within(1e-3));
                }
            }
            assertThat(reader.flux(Flux.just(image, image)).collectList().block())
                    .containsExactly(lines, lines);
        }
    }

    private static BufferedImage face() {
        BufferedImage image = Samples.canvas(256, 256);
        Graphics2D graphics = Samples.pen(image);
        graphics.setColor(new Color(90, 120, 150));
        graphics.fillRect(0, 0, 256, 256);
        graphics.setColor(new Color(60, 40, 30));
        graphics.fillOval(70, 40, 116, 130);
        graphics.setColor(new Color(225, 180, 150));
        graphics.fillOval(80, 60, 96, 130);
        graphics.fillRect(108, 170, 40, 50);
        graphics.setColor(Color.WHITE);
        graphics.fillOval(96, 104, 24, 14);
        graphics.fillOval(136, 104, 24, 14);
        graphics.setColor(new Color(50, 30, 20));
        graphics.fillOval(102, 104, 13, 14);
        graphics.fillOval(142, 104, 13, 14);
        graphics.fillRect(94, 92, 28, 5);
        graphics.fillRect(134, 92, 28, 5);
        graphics.setColor(new Color(190, 140, 115));
        graphics.fillOval(119, 118, 18, 24);
        graphics.setColor(new Color(170, 60, 60));
        graphics.fillOval(108, 152, 40, 12);
        graphics.dispose();
        return image;
    }

    @Test
    void aFaceIsWhereTheReferenceFindsIt() throws Exception {
        Path model = model("blazeface");
        BufferedImage image = face();
        try (Engine engine = Engine.create();
                Session session = engine.session(model)) {
            Stage<RgbImage, List<Detection>> detector = FaceDetector.blazeFace(session, FaceDetector.defaultOptions());
            List<Detection> faces = detector.run(ImageFiles.of(image));
            List<double[]> expected = FaceReference.faces(model, image);
            assertThat(faces).hasSize(1).hasSameSizeAs(expected);
            Detection face = faces.getFirst();
            double[] same = expected.getFirst();
            assertThat(face.score()).isCloseTo(same[0], within(1e-4));
            assertThat(face.box().left()).isCloseTo(same[1], within(0.01));
            assertThat(face.box().top()).isCloseTo(same[2], within(0.01));
            assertThat(face.box().right()).isCloseTo(same[3], within(0.01));
            assertThat(face.box().bottom()).isCloseTo(same[4], within(0.01));
            // the eyes are where they were drawn, in pixels of the image
            assertThat(face.points().getFirst().x()).isCloseTo(108, within(12.0));
            assertThat(face.points().getFirst().y()).isCloseTo(111, within(12.0));
        }
    }

    @Test
    void speechIsWhereTheReferenceHearsIt() throws Exception {
        Path model = model("silero-vad");
        float[] samples = Samples.speech();
        try (Engine engine = Engine.create();
                Session session = engine.session(model)) {
            VoiceDetector detector = VoiceDetector.silero(session);
            List<VoiceSegment> segments = detector.run(AudioClip.wrap(samples, 16000));
            var expected = new ArrayList<VoiceSegment>();
            for (int[] each : VoiceFinder.segments(model, samples)) {
                expected.add(new VoiceSegment(each[0], each[1]));
            }
            assertThat(segments).isNotEmpty().isEqualTo(expected);
            assertThat(detector.mono(AudioClip.wrap(samples, 16000)).block()).isEqualTo(expected);
        }
    }

    @Test
    void aWakeWordHasTheScoresOfTheReference() throws Exception {
        Path word;
        try {
            word = ModelCache.ofUser().fetch(jarvis());
        } catch (EngineException e) {
            word = abort("the classifier of a wake word cannot be fetched here: " + e.getMessage());
        }
        float[] samples = Arrays.copyOf(Samples.speech(), 60 * 1280);
        try (Engine engine = Engine.create();
                Session mel = engine.session(model("melspectrogram"));
                Session embedding = engine.session(model("speech-embedding"));
                Session classifier = engine.session(word);
                var reference = new WakeReference(model("melspectrogram"), model("speech-embedding"), word)) {
            WakeWordDetector detector = WakeWordDetector.of(mel, embedding, Map.of("hey jarvis", classifier));
            List<WakeScore> scores = Objects.requireNonNull(
                    detector.scores(Flux.just(samples)).collectList().block());
            List<Double> expected = reference.scores(samples);
            assertThat(scores).hasSize(60);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(scores.get(i).score()).as("frame " + i).isCloseTo(expected.get(i), within(1e-4));
            }
            double best = expected.stream().mapToDouble(each -> each).max().orElseThrow();
            WakeOptions low = new WakeOptions(0.9 * best, 1, 0);
            assertThat(detector.options(low).run(AudioClip.wrap(samples, 16000)))
                    .extracting(WakeScore::word)
                    .contains("hey jarvis");
        }
    }

    private static KnownModel jarvis() {
        return new KnownModel(
                "hey-jarvis",
                "wake word of openWakeWord",
                known("melspectrogram").archive(),
                new KnownModel.Part(
                        "models/hey_jarvis_v0.1.onnx",
                        1_271_370,
                        "94a13cfe60075b132f6a472e7e462e8123ee70861bc3fb58434a73712ee0d2cb"),
                List.of(),
                Map.of(),
                Map.of());
    }
}
