package dev.millrace.text;

import dev.millrace.session.Inputs;
import dev.millrace.session.generate.EncoderDecoder;
import dev.millrace.session.generate.Generation;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Token;
import dev.millrace.session.generate.TokenLikelihood;
import dev.millrace.text.speech.LogMel;
import dev.millrace.text.speech.SpeechRules;
import dev.millrace.text.speech.SpeechTokens;
import dev.millrace.text.speech.WindowParser;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The windows of one speech, each of which begins where the segments of the one before end. */
final class SpeechWindows {
    private final SpeechModel model;
    private final LogMel mel;
    private final int samples;
    private final SpeechOptions options;
    private final boolean isLong;
    private volatile @Nullable String language;

    /** A window: its first frame, and the number of frames with samples. */
    record Place(int start, int frames) {}

    /**
     * The text of a window.
     *
     * @param next the next window; null behind the last one
     */
    record Heard(
            String text,
            List<Transcript.Segment> segments,
            @Nullable Place next) {}

    /** The inputs and options of a window. */
    private record Request(EncoderDecoder model, Inputs input, long[] prompt, GenerationOptions generation) {
        Request at(double temperature) {
            GenerationOptions drawn =
                    generation.toBuilder().temperature(temperature).build();
            return new Request(model, input, prompt, drawn);
        }

        Generation run() {
            return model.run(input, prompt, generation);
        }

        Mono<Generation> mono() {
            return model.mono(input, prompt, generation);
        }
    }

    SpeechWindows(SpeechModel model, LogMel mel, int samples, SpeechOptions options) {
        this.model = model;
        this.mel = mel;
        this.samples = samples;
        this.options = options;
        this.language = options.language();
        this.isLong = mel.content() > LogMel.WINDOW;
    }

    /** Returns the first window; null if there are no samples. */
    @Nullable
    Place first() {
        return samples == 0 ? null : place(0);
    }

    private @Nullable Place place(int start) {
        int frames = Math.min(LogMel.WINDOW, Math.max(mel.content(), start == 0 ? 1 : 0) - start);
        return frames <= 0 ? null : new Place(start, frames);
    }

    private boolean hasTimestamps() {
        return options.timestamps() || isLong;
    }

    /** Generates the tokens of a window on this thread. */
    Generation generation(Place place) {
        Request request = request(place);
        Generation generation = options.beams() == null
                ? request.run()
                : request.model()
                        .beams(request.input(), request.prompt(), request.generation(), options.beams())
                        .getFirst()
                        .generation();
        for (double temperature : temperatures()) {
            if (isAccepted(generation)) {
                break;
            }
            generation = request.at(temperature).run();
        }
        return generation;
    }

    /** Returns the text of a window, computed when it is subscribed to. */
    Mono<Heard> heard(Place place) {
        return Mono.defer(() -> {
            Request request = request(place);
            Mono<Generation> generation = options.beams() == null
                    ? request.mono()
                    : request.model()
                            .beamsMono(request.input(), request.prompt(), request.generation(), options.beams())
                            .map(all -> all.getFirst().generation());
            for (double temperature : temperatures()) {
                generation = generation.flatMap(said -> isAccepted(said)
                        ? Mono.just(said)
                        : request.at(temperature).mono());
            }
            return generation.map(tokens -> parsed(place, tokens));
        });
    }

    private List<Double> temperatures() {
        return options.fallback() == null ? List.of() : options.fallback().temperatures();
    }

    private boolean isAccepted(Generation generation) {
        SpeechFallback fallback = options.fallback();
        int preamble = preamble(generation.ids());
        double sum = 0;
        for (Token token :
                generation.tokens().subList(preamble, generation.tokens().size())) {
            TokenLikelihood likelihood = token.likelihood();
            sum += likelihood == null ? 0 : likelihood.logprob();
        }
        int count = generation.tokens().size() - preamble;
        long[] words = Arrays.stream(generation.ids())
                .skip(preamble)
                .filter(id -> id < model.tokens().end())
                .toArray();
        return fallback == null || fallback.accepts(model.text(words), count == 0 ? 0 : sum / count);
    }

    /** Returns the number of tokens that begin a text in which the model chooses the language. */
    private int preamble(long[] ids) {
        boolean isOpen = language == null && !model.tokens().languages().isEmpty();
        return isOpen ? Math.min(ids.length, hasTimestamps() ? 2 : 3) : 0;
    }

    private Request request(Place place) {
        SpeechTokens tokens = model.tokens();
        var rest = new ArrayList<Integer>();
        if (!tokens.languages().isEmpty()) {
            Integer known = language == null ? null : tokens.languages().get(language);
            rest.add(known == null ? SpeechRules.ANY_LANGUAGE : known);
            rest.add(options.task() == SpeechOptions.Task.TRANSLATE ? tokens.translate() : tokens.transcribe());
        }
        if (!hasTimestamps()) {
            rest.add(tokens.noTimestamps());
        }
        int[] asked = rest.stream().mapToInt(Integer::intValue).toArray();
        boolean isOpen = rest.contains(SpeechRules.ANY_LANGUAGE);
        int[] preamble = isOpen ? asked : new int[0];
        long[] prompt = new long[isOpen ? 1 : 1 + asked.length];
        prompt[0] = tokens.start();
        for (int i = 1; i < prompt.length; i++) {
            prompt[i] = asked[i - 1];
        }
        // the values of silence stand behind short speech, zeros behind the last window of a long one
        float[] features = mel.window(place.start(), isLong ? place.frames() : LogMel.WINDOW);
        return new Request(
                model.model(new SpeechRules(tokens, preamble, hasTimestamps())),
                model.inputs(features),
                prompt,
                model.generation(options, prompt.length));
    }

    /** Returns the text of a window's tokens. */
    Heard parsed(Place place, Generation generation) {
        long[] ids = generation.ids();
        int preamble = preamble(ids);
        if (preamble > 0) {
            language = model.language(ids[0]);
        }
        int first = model.tokens().firstTimestamp();
        int[] said = Arrays.stream(ids)
                .skip(preamble)
                .filter(id -> hasTimestamps() || id < first)
                .mapToInt(Math::toIntExact)
                .toArray();
        WindowParser.Window window = WindowParser.parse(model.tokens(), said, place.frames());
        double offset = (double) place.start() * LogMel.HOP / LogMel.RATE;
        var segments = new ArrayList<Transcript.Segment>();
        var whole = new StringBuilder();
        for (WindowParser.Part part : window.parts()) {
            String text = model.text(part.tokens());
            whole.append(text);
            if (!text.isBlank()) {
                segments.add(new Transcript.Segment(
                        offset + part.start() * SpeechTokens.PRECISION,
                        offset + part.end() * SpeechTokens.PRECISION,
                        text.strip()));
            }
        }
        return new Heard(whole.toString(), segments, isLong ? place(place.start() + window.frames()) : null);
    }

    /** Returns the text of all windows. */
    Transcript transcript(List<Heard> windows) {
        String text = windows.stream().map(Heard::text).collect(Collectors.joining());
        return new Transcript(
                text.strip(),
                language,
                windows.stream().flatMap(heard -> heard.segments().stream()).toList());
    }
}
