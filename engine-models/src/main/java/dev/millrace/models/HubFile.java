package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.http.HttpReply;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The facts that a hub tells of a file.
 *
 * @param commit the commit that the revision leads to
 * @param tag the name of the content: its SHA-256 for large files, else the name that Git has for it
 * @param size the bytes of the content; -1 if the hub does not say
 */
record HubFile(String commit, String tag, long size) {
    private static final Pattern TAG = Pattern.compile("[0-9A-Za-z_-]{8,128}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern SIZE = Pattern.compile("\\d{1,18}");

    /** Whether an answer tells the facts, so that a redirect in it leads to the content alone. */
    static boolean isToldBy(HttpReply reply) {
        return reply.header("X-Linked-ETag") != null
                || (reply.header("X-Repo-Commit") != null && reply.header("ETag") != null);
    }

    static HubFile of(HttpReply reply, String name) {
        String commit = reply.header("X-Repo-Commit");
        String linked = reply.header("X-Linked-ETag");
        String tag = linked == null ? reply.header("ETag") : linked;
        if (commit == null || !HubCache.isCommit(commit) || tag == null) {
            throw new EngineException(
                    Status.FAIL,
                    name + ": " + reply.uri().getHost() + " does not answer like a hub: the headers X-Repo-Commit and"
                            + " ETag are missing or wrong");
        }
        String plain = (tag.startsWith("W/") ? tag.substring(2) : tag).replace("\"", "");
        if (!TAG.matcher(plain).matches()) {
            throw new EngineException(Status.FAIL, name + ": the hub's ETag '" + plain + "' names no content");
        }
        String size = linked == null ? reply.header("Content-Length") : reply.header("X-Linked-Size");
        boolean isSize = size != null && SIZE.matcher(size).matches() && (linked != null || reply.isSuccess());
        return new HubFile(commit, plain, isSize ? Long.parseLong(size) : -1);
    }

    /** Returns the SHA-256 of the content; null if the tag is another one. */
    @Nullable
    String sha256() {
        return SHA_256.matcher(tag).matches() ? tag : null;
    }

    /** Whether the tag is the name that Git has for the content. */
    boolean isGitBlob() {
        return HubCache.isCommit(tag);
    }
}
