package dev.millrace.text;

import dev.millrace.text.json.Json;
import dev.millrace.text.speech.SpeechTokens;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings of a speech model, which its files hold. */
final class SpeechFolder {
    private static final int BINS = 80;
    private static final int POSITIONS = 448;

    private SpeechFolder() {}

    /** Returns the special tokens, as generation_config.json or else the tokenizer names them. */
    static SpeechTokens tokens(EncoderDecoderFolder folder, Tokenizer tokenizer) {
        int start = folder.start();
        Integer end = folder.token("eos_token_id");
        int translate = tokenizer.id("<|translate|>");
        Integer none = folder.token("no_timestamps_token_id");
        return new SpeechTokens(
                start,
                end == null ? tokenizer.id("<|endoftext|>") : end,
                languages(folder, tokenizer, start, translate),
                tokenizer.id("<|transcribe|>"),
                translate,
                none == null ? tokenizer.id("<|notimestamps|>") : none,
                ids(folder.value("suppress_tokens")),
                ids(folder.value("begin_suppress_tokens")),
                folder.value("max_initial_timestamp_index").integer(-1));
    }

    private static Map<String, Integer> languages(
            EncoderDecoderFolder folder, Tokenizer tokenizer, int start, int translate) {
        var languages = new LinkedHashMap<String, Integer>();
        if (!folder.value("is_multilingual").flag(true)) {
            return languages;
        }
        Json named = folder.value("lang_to_id");
        if (named.isObject()) {
            named.properties().forEach((token, id) -> languages.put(code(token), id.id()));
            return languages;
        }
        for (int id = start + 1; id < translate; id++) {
            String token = tokenizer.token(id);
            if (token != null) {
                languages.put(code(token), id);
            }
        }
        return languages;
    }

    /** Returns the code in a token such as {@code <|en|>}. */
    private static String code(String token) {
        return token.replace("<|", "").replace("|>", "");
    }

    /** Returns the tokens of a list, in which -1 stands for none. */
    private static int[] ids(Json list) {
        return list.elements().stream()
                .mapToInt(Json::integer)
                .filter(id -> id >= 0)
                .toArray();
    }

    /** Returns the number of mel filters. */
    static int bins(EncoderDecoderFolder folder) {
        Json features = ModelFolder.found(folder.folder(), "preprocessor_config.json");
        return folder.config()
                .get("num_mel_bins")
                .count(features.get("feature_size").count(BINS));
    }

    /** Returns the number of tokens that the decoder sees at most. */
    static int positions(EncoderDecoderFolder folder) {
        return folder.config()
                .get("max_target_positions")
                .count(folder.value("max_length").count(POSITIONS));
    }
}
