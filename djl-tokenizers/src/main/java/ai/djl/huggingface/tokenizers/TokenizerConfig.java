package ai.djl.huggingface.tokenizers;

import dev.millrace.text.PadToken;
import dev.millrace.text.Tokenizer;
import dev.millrace.text.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings of a {@code tokenizer_config.json}. */
public class TokenizerConfig {
    public static final int DEFAULT_MAX_LENGTH = 512;

    private final Json file;

    public TokenizerConfig() {
        this(Json.none("tokenizer_config"));
    }

    private TokenizerConfig(Json file) {
        this.file = file;
    }

    /** Reads a file; returns null if there is none. */
    public static @Nullable TokenizerConfig load(Path path) {
        if (!Files.isRegularFile(path)) {
            return null;
        }
        try {
            return new TokenizerConfig(Json.parse(Files.readAllBytes(path), "tokenizer configuration " + path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The most tokens of the model; {@link #DEFAULT_MAX_LENGTH} unless the file says. */
    public int getModelMaxLength() {
        Json length = file.get("model_max_length");
        return length.isNull() ? DEFAULT_MAX_LENGTH : (int) Math.clamp(length.finite(), 0, Integer.MAX_VALUE);
    }

    public boolean isStripAccents() {
        return file.get("strip_accents").flag(false);
    }

    public boolean isCleanUpTokenizationSpaces() {
        return file.get("clean_up_tokenization_spaces").flag(false);
    }

    public boolean isAddPrefixSpace() {
        return file.get("add_prefix_space").flag(false);
    }

    public @Nullable String getBosToken() {
        return token("bos_token");
    }

    public @Nullable String getEosToken() {
        return token("eos_token");
    }

    public @Nullable String getUnkToken() {
        return token("unk_token");
    }

    public @Nullable String getSepToken() {
        return token("sep_token");
    }

    public @Nullable String getPadToken() {
        return token("pad_token");
    }

    public @Nullable String getClsToken() {
        return token("cls_token");
    }

    public @Nullable String getTokenizerClass() {
        return token("tokenizer_class");
    }

    /** Returns the token that pads: that of the tokenizer's file, else that of this configuration. */
    PadToken pad(Tokenizer tokenizer) {
        PadToken ofFile = tokenizer.padToken();
        String name = getPadToken();
        if (ofFile != null) {
            return ofFile;
        }
        return name != null && tokenizer.has(name)
                ? new PadToken(tokenizer.id(name), name, 0, false)
                : new PadToken(0, "[PAD]", 0, false);
    }

    /** Returns whether the file names any special token. */
    boolean hasSpecialToken() {
        return Stream.of("bos_token", "cls_token", "eos_token", "sep_token", "unk_token", "pad_token")
                .anyMatch(each -> token(each) != null);
    }

    /** Returns a text, or the content of a token that is described by an object. */
    private @Nullable String token(String property) {
        Json value = file.get(property);
        Json text = value.isObject() ? value.get("content") : value;
        return text.isText() ? text.text() : null;
    }

    public boolean hasExplicitStripAccents() {
        return file.get("strip_accents").isFlag();
    }

    public boolean hasExplicitAddPrefixSpace() {
        return file.get("add_prefix_space").isFlag();
    }
}
