package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.speech.LogMel;
import dev.millrace.text.speech.SpeechRules;
import dev.millrace.text.speech.SpeechTokens;
import dev.millrace.text.speech.WindowParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transcripts of small models with random weights are those of a loop that computes each token from all tokens before. */
@Timeout(120)
class SpeechModelTest {
    private static final List<String> SPECIAL = List.of(
            "<|endoftext|>",
            "<|startoftranscript|>",
            "<|en|>",
            "<|de|>",
            "<|translate|>",
            "<|transcribe|>",
            "<|notimestamps|>");
    private static final int WORDS = 20;
    private static final int FIRST = WORDS + 7;
    private static final int SIZE = FIRST + 1501;
    private static final int MOST = 40;
    private static final SpeechTokens TOKENS = new SpeechTokens(
            21, 20, new LinkedHashMap<>(Map.of("en", 22, "de", 23)), 25, 24, 26, new int[] {3}, new int[] {4, 20}, 50);

    @AutoClose
    private final Engine engine = Engine.create();

    @TempDir
    private Path folder = Path.of("");

    private static String tokenizer() {
        var words = new ArrayList<String>();
        for (int i = 0; i < WORDS; i++) {
            words.add("\" w%d\": %d".formatted(i, i));
        }
        var added = new ArrayList<String>();
        for (int id = WORDS; id < SIZE; id++) {
            String text = id < FIRST ? SPECIAL.get(id - WORDS) : "<|%.2f|>".formatted((id - FIRST) * 0.02);
            added.add(("{\"id\": %d, \"content\": \"%s\", \"special\": %s, \"single_word\": false, \"lstrip\": false,"
                            + " \"rstrip\": false, \"normalized\": false}")
                    .formatted(id, text, id < FIRST));
        }
        return "{\"added_tokens\": [%s], \"decoder\": {\"type\": \"Fuse\"}, \"model\": {\"type\": \"WordLevel\", \"unk_token\": \" w0\", \"vocab\": {%s}}}"
                .formatted(String.join(", ", added), String.join(", ", words));
    }

    private SpeechModel model(long seed) throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), tokenizer(), StandardCharsets.UTF_8);
        Files.write(folder.resolve("encoder_model.onnx"), SmallSpeechModel.encoder(seed));
        Files.write(folder.resolve("decoder_model.onnx"), SmallSpeechModel.decoder(seed, SIZE, FIRST));
        Files.writeString(folder.resolve("config.json"), "{\"num_mel_bins\": 80, \"max_target_positions\": 448}");
        Files.writeString(folder.resolve("generation_config.json"), """
            {"decoder_start_token_id": 21, "eos_token_id": 20, "max_length": %d, "suppress_tokens": [3],
             "begin_suppress_tokens": [4, 20], "no_timestamps_token_id": 26, "max_initial_timestamp_index": 50,
             "is_multilingual": true, "lang_to_id": {"<|en|>": 22, "<|de|>": 23}}
            """.formatted(MOST + 1));
        return SpeechModel.open(engine, folder);
    }

    private static float[] sound(double seconds, long seed) {
        var random = new Random(seed);
        float[] sound = new float[(int) (seconds * LogMel.RATE)];
        for (int i = 0; i < sound.length; i++) {
            sound[i] = (float) (0.1 * Math.sin(i * (0.01 + seed * 0.003)) + 0.02 * random.nextGaussian());
        }
        return sound;
    }

    /** A loop that computes each token from all tokens before. */
    private final class PlainLoop {
        private final Session encoder;
        private final Session decoder;

        PlainLoop(long seed) {
            encoder = engine.session(SmallSpeechModel.encoder(seed), SessionOptions.defaults());
            decoder = engine.session(SmallSpeechModel.decoder(seed, SIZE, FIRST), SessionOptions.defaults());
        }

        int[] tokens(float[] features, int[] prompt, SpeechRules rules, int most) {
            int[] said = {};
            Tensor input = Tensor.copyOf(features, 1, SmallSpeechModel.BINS, 3000);
            try (Outputs hidden = encoder.run(Inputs.of("input_features", input))) {
                do {
                    long[] all = new long[prompt.length + said.length];
                    for (int i = 0; i < all.length; i++) {
                        all[i] = i < prompt.length ? prompt[i] : said[i - prompt.length];
                    }
                    Inputs inputs = Inputs.of("input_ids", Tensor.copyOf(all, 1, all.length))
                            .and("encoder_hidden_states", hidden.get(0));
                    try (Outputs outputs = decoder.run(inputs)) {
                        float[] scores = outputs.get("logits").floats();
                        rules.apply(scores, said);
                        said = Arrays.copyOf(said, said.length + 1);
                        said[said.length - 1] = IntStream.range(0, SIZE)
                                .reduce((a, b) -> scores[b] > scores[a] ? b : a)
                                .orElseThrow();
                    }
                } while (said[said.length - 1] != 20 && said.length < most);
            }
            return said;
        }
    }

    private static String words(int[] said, int from) {
        var text = new StringBuilder();
        Arrays.stream(said)
                .skip(from)
                .filter(token -> token < WORDS)
                .forEach(word -> text.append(" w").append(word));
        return text.toString().strip();
    }

    @Test
    void shortSpeechIsOneWindow() throws IOException {
        int texts = 0;
        for (long seed = 0; seed < 4; seed++) {
            float[] sound = sound(3.5, seed);
            float[] features = LogMel.of(sound, 80).window(0, 3000);
            var loop = new PlainLoop(seed);
            try (SpeechModel model = model(seed)) {
                int[] plain = loop.tokens(
                        features, new int[] {21, 23, 24, 26}, new SpeechRules(TOKENS, new int[0], false), MOST);
                SpeechOptions german = SpeechOptions.builder()
                        .language("de")
                        .task(SpeechOptions.Task.TRANSLATE)
                        .timestamps(false)
                        .build();
                Transcript transcript = model.transcribe(sound, german);
                assertThat(transcript.text()).isEqualTo(words(plain, 0));
                texts += transcript.segments().size();
                assertThat(transcript.language()).isEqualTo("de");
                assertThat(transcript.segments()).allMatch(new Transcript.Segment(0, 3.5, transcript.text())::equals);
                assertThat(model.mono(sound, german).block()).isEqualTo(transcript);

                int[] any = {SpeechRules.ANY_LANGUAGE, 25, 26};
                int[] said = loop.tokens(features, new int[] {21}, new SpeechRules(TOKENS, any, false), MOST);
                Transcript found = model.transcribe(
                        sound, SpeechOptions.builder().timestamps(false).build());
                assertThat(found.text()).isEqualTo(words(said, 3));
                assertThat(found.language()).isEqualTo(said[0] == 22 ? "en" : "de");
            }
        }
        assertThat(texts).as("texts that are not empty").isGreaterThan(1);
    }

    @Test
    void aTextThatIsNotAcceptedIsGeneratedAnew() throws IOException {
        float[] sound = sound(3.5, 1);
        try (SpeechModel model = model(1)) {
            var temperatures = List.of(0.5, 3.0);
            GenerationOptions seeded = model.defaults().toBuilder().seed(7).build();
            String greedy = model.transcribe(sound, SpeechOptions.defaults()).text();
            var drawn = SpeechOptions.builder()
                    .generation(seeded.toBuilder().temperature(3.0).build())
                    .build();
            String last = model.transcribe(sound, drawn).text();
            assertThat(last).isNotEqualTo(greedy);
            var any = new SpeechFallback(temperatures, 1e9, -1e9);
            var unlikely = new SpeechFallback(temperatures, 1e9, 0);
            var wordy = new SpeechFallback(temperatures, 1e-9, -1e9);
            for (BeamOptions beams :
                    new BeamOptions[] {null, BeamOptions.builder().beams(1).build()}) {
                for (SpeechFallback fallback : List.of(any, unlikely, wordy)) {
                    SpeechOptions options = SpeechOptions.builder()
                            .generation(seeded)
                            .fallback(fallback)
                            .beams(beams)
                            .build();
                    String expected = fallback == any ? greedy : last;
                    assertThat(model.transcribe(sound, options).text()).isEqualTo(expected);
                    assertThat(model.mono(sound, options).map(Transcript::text).block())
                            .isEqualTo(expected);
                }
            }
        }
    }

    @Test
    void compressionIsThatOfZlib() {
        assertThat(SpeechFallback.compression("la ".repeat(50))).isEqualTo(150 / 14.0);
        assertThat(SpeechFallback.usual().accepts("la ".repeat(50), 0)).isFalse();
        String sentence = "The mill stands by the river.";
        assertThat(SpeechFallback.compression(sentence)).isEqualTo(29 / 36.0);
        assertThat(SpeechFallback.usual().accepts(sentence, -0.9)).isTrue();
        assertThat(SpeechFallback.usual().accepts(sentence, -1.1)).isFalse();
        assertThatThrownBy(() -> new SpeechFallback(List.of(0.0), 2.4, -1)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> new SpeechFallback(List.of(), -2, -1)).hasMessageContaining("-2.0");
    }

    @Test
    void longSpeechGoesOnWhereTheLastSegmentEnds() throws IOException {
        int windows = 0;
        for (long seed = 0; seed < 4; seed++) {
            float[] sound = sound(70, seed);
            LogMel mel = LogMel.of(sound, 80);
            var loop = new PlainLoop(seed);
            var expected = new ArrayList<Transcript.Segment>();
            for (int start = 0; start < 7000; ) {
                int frames = Math.min(3000, 7000 - start);
                int[] said = loop.tokens(
                        mel.window(start, frames),
                        new int[] {21, 22, 25},
                        new SpeechRules(TOKENS, new int[0], true),
                        MOST);
                WindowParser.Window window = WindowParser.parse(TOKENS, said, frames);
                for (WindowParser.Part part : window.parts()) {
                    String text = words(
                            Arrays.stream(part.tokens())
                                    .mapToInt(Math::toIntExact)
                                    .toArray(),
                            0);
                    if (!text.isEmpty()) {
                        expected.add(new Transcript.Segment(
                                start / 100.0 + part.start() * 0.02, start / 100.0 + part.end() * 0.02, text));
                    }
                }
                start += window.frames();
                windows++;
            }
            try (SpeechModel model = model(seed)) {
                SpeechOptions english =
                        SpeechOptions.builder().language("en").timestamps(false).build();
                Transcript transcript = model.transcribe(sound, english);
                assertThat(transcript.segments()).isEqualTo(expected).isNotEmpty();
                assertThat(model.flux(sound, english).collectList().block()).isEqualTo(expected);
            }
        }
        assertThat(windows).isGreaterThan(12);
    }

    @Test
    void beamsFindATextThatIsNoLessLikely() throws IOException {
        try (SpeechModel model = model(5)) {
            SpeechOptions beams = SpeechOptions.builder()
                    .beams(BeamOptions.builder().beams(3).build())
                    .build();
            Transcript transcript = model.transcribe(sound(2, 1), beams);
            assertThat(transcript.language()).isIn("en", "de");
            assertThat(transcript.text()).isNotEmpty();
            assertThat(model.mono(sound(2, 1), beams).block()).isEqualTo(transcript);
        }
    }

    @Test
    void noSpeechHasNoText() throws IOException {
        try (SpeechModel model = model(1)) {
            assertThat(model.transcribe(new float[0], SpeechOptions.defaults()))
                    .isEqualTo(new Transcript("", null, List.of()))
                    .isEqualTo(
                            model.mono(new float[0], SpeechOptions.defaults()).block());
            assertThat(model.languages()).containsExactlyInAnyOrder("en", "de");
            assertThatThrownBy(() -> model.transcribe(
                            new float[1], SpeechOptions.builder().language("xx").build()))
                    .hasMessageContainingAll("language 'xx'", "en");
        }
    }

    @Test
    void optionsAreCopied() {
        SpeechOptions options = SpeechOptions.builder()
                .language("de")
                .task(SpeechOptions.Task.TRANSLATE)
                .timestamps(false)
                .generation(GenerationOptions.defaults())
                .beams(BeamOptions.defaults())
                .build();
        assertThat(options.toBuilder().build()).isEqualTo(options);
        assertThat(SpeechOptions.builder().build()).isEqualTo(SpeechOptions.defaults());
    }
}
