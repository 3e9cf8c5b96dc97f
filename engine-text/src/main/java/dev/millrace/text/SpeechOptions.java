package dev.millrace.text;

import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.GenerationOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options of a transcription. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param language the code of the spoken language, such as {@code en}; null to let the model choose
 * @param task the kind of text that is wanted
 * @param timestamps whether the text is split into segments with times; speech of more than 30 seconds always is
 * @param generation the options of the tokens; null for those that the model's files recommend
 * @param beams the search of each window; null for the most likely token each time, or for draws
 * @param fallback when a window is generated anew with draws; null for never
 */
public record SpeechOptions(
        @Nullable String language,
        Task task,
        boolean timestamps,
        @Nullable GenerationOptions generation,
        @Nullable BeamOptions beams,
        @Nullable SpeechFallback fallback) {
    private static final SpeechOptions DEFAULTS = builder().build();

    /** The kind of text. */
    public enum Task {
        /** The words as they are said. */
        TRANSCRIBE,
        /** Their translation to English. */
        TRANSLATE
    }

    public SpeechOptions {
        ApiBoundary.requireArgument(task, "task");
    }

    /** Returns options that transcribe any language, with times. */
    public static SpeechOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder()
                .language(language)
                .task(task)
                .timestamps(timestamps)
                .generation(generation)
                .beams(beams)
                .fallback(fallback);
    }

    /** A builder of options of a transcription. Every option has a default. */
    public static final class Builder {
        private @Nullable String language;
        private Task task = Task.TRANSCRIBE;
        private boolean timestamps = true;
        private @Nullable GenerationOptions generation;
        private @Nullable BeamOptions beams;
        private @Nullable SpeechFallback fallback;

        private Builder() {}

        public Builder language(@Nullable String code) {
            language = code;
            return this;
        }

        public Builder task(Task value) {
            task = value;
            return this;
        }

        public Builder timestamps(boolean value) {
            timestamps = value;
            return this;
        }

        public Builder generation(@Nullable GenerationOptions value) {
            generation = value;
            return this;
        }

        public Builder beams(@Nullable BeamOptions value) {
            beams = value;
            return this;
        }

        public Builder fallback(@Nullable SpeechFallback value) {
            fallback = value;
            return this;
        }

        public SpeechOptions build() {
            return new SpeechOptions(language, task, timestamps, generation, beams, fallback);
        }
    }
}
