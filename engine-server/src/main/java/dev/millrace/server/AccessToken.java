package dev.millrace.server;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * A bearer token and what it permits. Patterns are names of models in which an asterisk is any text.
 *
 * @param secret the token
 * @param all whether it permits everything, the settings of the server included
 * @param infer patterns of the models that it may use
 * @param admin patterns of the models that it may load and unload
 */
public record AccessToken(String secret, boolean all, List<String> infer, List<String> admin) {
    private static final String INFER = "infer=";
    private static final String ADMIN = "admin=";

    public AccessToken {
        infer = List.copyOf(infer);
        admin = List.copyOf(admin);
        if (secret.isBlank()) {
            throw EngineException.invalidArgument("a token is not empty");
        }
    }

    /** Returns a token that permits everything. */
    public static AccessToken ofEverything(String secret) {
        return new AccessToken(secret, true, List.of(), List.of());
    }

    /** Returns a token that permits some models only. */
    public static AccessToken of(String secret, List<String> infer, List<String> admin) {
        return new AccessToken(secret, false, infer, admin);
    }

    /**
     * Reads a file with a token in each line, behind which {@code infer=} and {@code admin=} may stand, each with patterns
     * separated by commas. A token alone permits everything. Lines that begin with a number sign are comments.
     */
    public static List<AccessToken> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new EngineException(Status.NO_SUCH_FILE, "the file of tokens " + file + " cannot be read: " + e, e);
        }
        var tokens = new ArrayList<AccessToken>();
        var secrets = new HashSet<String>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            AccessToken token = parse(line, file + ":" + (i + 1));
            if (!secrets.add(token.secret)) {
                throw EngineException.invalidArgument(file + ":" + (i + 1) + ": the token is there already");
            }
            tokens.add(token);
        }
        if (tokens.isEmpty()) {
            throw EngineException.invalidArgument("the file of tokens " + file + " has none");
        }
        return tokens;
    }

    private static AccessToken parse(String line, String place) {
        String[] words = line.split("\\s+");
        var infer = new ArrayList<String>();
        var admin = new ArrayList<String>();
        for (int i = 1; i < words.length; i++) {
            if (words[i].startsWith(INFER)) {
                infer.addAll(List.of(words[i].substring(INFER.length()).split(",")));
            } else if (words[i].startsWith(ADMIN)) {
                admin.addAll(List.of(words[i].substring(ADMIN.length()).split(",")));
            } else {
                throw EngineException.invalidArgument(
                        place + ": behind a token stand " + INFER + "MODELS and " + ADMIN + "MODELS alone");
            }
        }
        return words.length == 1 ? ofEverything(words[0]) : of(words[0], infer, admin);
    }

    /** The permissions without the secret. */
    @Override
    public String toString() {
        return all ? "token of everything" : "token of infer=" + infer + " admin=" + admin;
    }
}
