package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.json.Json;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of an encoder-decoder model as Optimum exports them.
 *
 * @param later the decoder of the steps after the first; null if one file has both, or if there are no caches
 * @param config the content of config.json
 * @param generation the content of generation_config.json
 */
record EncoderDecoderFolder(
        Path folder, Path encoder, Path decoder, @Nullable Path later, Path tokenizer, Json config, Json generation) {
    private static final String ENCODER = "encoder_model";
    private static final String MERGED = "decoder_model_merged";
    private static final String FIRST = "decoder_model";
    private static final String LATER = "decoder_with_past_model";
    /** The length of a text of which the files say nothing. */
    private static final int LENGTH = 256;

    /** Finds the files in a folder or in its folder onnx. */
    static EncoderDecoderFolder read(Path folder) {
        ApiBoundary.requireArgument(folder, "folder");
        return ApiBoundary.guarded("model folder " + folder, () -> {
            for (String variant : ModelFolder.VARIANTS) {
                EncoderDecoderFolder found = variant(folder, variant);
                if (found != null) {
                    return found;
                }
            }
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    folder.toAbsolutePath() + " has no encoder-decoder model: there is no " + ENCODER + ".onnx with "
                            + MERGED + ".onnx or " + FIRST + ".onnx, or with ends such as _quantized, there or in its"
                            + " folder onnx");
        });
    }

    private static @Nullable EncoderDecoderFolder variant(Path folder, String variant) {
        Path encoder = ModelFolder.variant(folder, ENCODER, variant);
        Path merged = ModelFolder.variant(folder, MERGED, variant);
        Path first = merged == null ? ModelFolder.variant(folder, FIRST, variant) : merged;
        if (encoder == null || first == null) {
            return null;
        }
        return new EncoderDecoderFolder(
                folder,
                encoder,
                first,
                merged == null ? ModelFolder.variant(folder, LATER, variant) : null,
                ModelFolder.tokenizer(folder, first),
                ModelFolder.found(folder, ModelFolder.CONFIG),
                ModelFolder.found(folder, ModelFolder.GENERATION));
    }

    /** Returns a value of generation_config.json, or of config.json if it has none. */
    Json value(String name) {
        Json own = generation.get(name);
        return own.isNull() ? config.get(name) : own;
    }

    /** The token that the decoder begins with. */
    int start() {
        Json start = value("decoder_start_token_id");
        Json begin = start.isNull() ? value("bos_token_id") : start;
        if (begin.isNull()) {
            throw EngineException.invalidArgument(folder.toAbsolutePath()
                    + " does not say which token the decoder begins with: config.json has no decoder_start_token_id");
        }
        return begin.id();
    }

    /** The tokens that end a text. */
    Set<Long> ends() {
        return ModelFolder.ends(value("eos_token_id"));
    }

    /** The options that the files recommend. */
    GenerationOptions defaults() {
        int most = value("max_new_tokens").count(value("max_length").count(LENGTH + 1) - 1);
        GenerationOptions.Builder options =
                ModelFolder.options(generation.isNull() ? config : generation, ends()).toBuilder()
                        .maxTokens(Math.max(1, most));
        for (Json word : value("bad_words_ids").elements()) {
            if (word.elements().size() == 1) {
                options.logitBias(word.elements().getFirst().id(), Double.NEGATIVE_INFINITY);
            }
        }
        return options.build();
    }

    /** The search that the files recommend; null if they follow one text only, or draw tokens. */
    @Nullable
    BeamOptions search() {
        int beams = value("num_beams").count(1);
        if (beams < 2 || value("do_sample").flag(false)) {
            return null;
        }
        Json early = value("early_stopping");
        BeamOptions.Stopping stopping = early.isText()
                ? BeamOptions.Stopping.WHEN_IMPOSSIBLE
                : early.flag(false) ? BeamOptions.Stopping.AT_FIRST : BeamOptions.Stopping.WHEN_UNLIKELY;
        Json penalty = value("length_penalty");
        return BeamOptions.builder()
                .beams(beams)
                .lengthPenalty(penalty.isNull() ? 1 : penalty.finite())
                .stopping(stopping)
                .build();
    }

    /** Returns the token of an option that names one or none. */
    @Nullable
    Integer token(String name) {
        Json token = value(name);
        return token.isNull() ? null : Integer.valueOf(token.id());
    }
}
