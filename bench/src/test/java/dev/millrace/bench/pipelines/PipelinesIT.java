package dev.millrace.bench.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.millrace.cli.model.KnownModel;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.graph.EngineException;
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
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.GraphicsEnvironment;
import java.awt.RenderingHints;
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

    private static BufferedImage canvas(int width, int height) {
        var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
        graphics.dispose();
        return image;
    }

    private static Graphics2D pen(BufferedImage image) {
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        return graphics;
    }

    /** A page with lines of text, one of them upside down and one a little turned. */
    private static BufferedImage page() {
        if (GraphicsEnvironment.getLocalGraphicsEnvironment().getAllFonts().length == 0) {
            abort("there are no fonts to draw a page with");
        }
        BufferedImage page = canvas(640, 384);
        Graphics2D graphics = pen(page);
        graphics.setColor(Color.BLACK);
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 32));
        graphics.drawString("Hello Millrace 2026", 40, 60);
        graphics.drawString("Invoice 1234.50 EUR", 90, 140);
        graphics.rotate(Math.PI, 320, 210);
        graphics.drawString("upside down", 200, 220);
        graphics.rotate(-Math.PI, 320, 210);
        graphics.rotate(0.08, 320, 300);
        graphics.drawString("a line that is turned", 150, 310);
        graphics.dispose();
        return page;
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
        BufferedImage page = page();
        try (Engine engine = Engine.create();
                Session detection = engine.session(model("ppocr-det"));
                Session direction = engine.session(model("ppocr-cls"));
                Session recognition = engine.session(model("ppocr-rec"));
                var reference =
                        new OcrReference(model("ppocr-det"), model("ppocr-cls"), model("ppocr-rec"), characters)) {
            TextReader reader = TextReader.of(
                    TextDetector.of(detection, TextDetector.Options.defaults()),
                    TextDirection.of(direction, 0.9),
                    TextRecogniser.of(recognition, Files.readAllLines(characters)));
            RgbImage image = ImageFiles.of(page);
            List<TextLine> lines = reader.run(image);
            List<OcrReference.Line> expected = reference.read(page);
            assertThat(lines)
                    .extracting(TextLine::text)
                    .isEqualTo(expected.stream().map(OcrReference.Line::text).toList());
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
        BufferedImage image = canvas(256, 256);
        Graphics2D graphics = pen(image);
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

    /** Vowels: pulses of a voice through the resonances of a mouth, in syllables, with pauses. */
    private static float[] speech() {
        float[] samples = new float[16000 * 5];
        double[][] formants = {{730, 1090, 2440}, {270, 2290, 3010}, {570, 840, 2410}, {530, 1840, 2480}};
        double[] low = new double[3];
        double[] high = new double[3];
        double phase = 0;
        for (int i = 0; i < samples.length; i++) {
            double time = i / 16000.0;
            boolean speaks = time > 0.6 && time < 2.1 || time > 3 && time < 4.4;
            phase += (120 + 20 * Math.sin(2 * Math.PI * 1.3 * time)) / 16000;
            double pulse = phase >= 1 ? 1 : 0;
            phase -= pulse;
            double sum = 0;
            double[] vowel = formants[(int) (time / 0.22) % formants.length];
            for (int f = 0; f < 3; f++) {
                double radius = Math.exp(-Math.PI * 90 / 16000);
                double next = pulse
                        + 2 * radius * Math.cos(2 * Math.PI * vowel[f] / 16000) * low[f]
                        - radius * radius * high[f];
                high[f] = low[f];
                low[f] = next;
                sum += next / (f + 1);
            }
            double syllable = 0.55 - 0.45 * Math.cos(2 * Math.PI * time / 0.22);
            samples[i] = (float) (speaks ? 0.03 * syllable * sum : 0) + (float) (1e-4 * Math.sin(i * 12.9898 * i));
        }
        return samples;
    }

    @Test
    void speechIsWhereTheReferenceHearsIt() throws Exception {
        Path model = model("silero-vad");
        float[] samples = speech();
        try (Engine engine = Engine.create();
                Session session = engine.session(model)) {
            VoiceDetector detector = VoiceDetector.silero(session);
            List<VoiceSegment> segments = detector.run(AudioClip.wrap(samples, 16000));
            var expected = new ArrayList<VoiceSegment>();
            for (int[] each : VoiceReference.segments(model, samples)) {
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
        float[] samples = Arrays.copyOf(speech(), 60 * 1280);
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
