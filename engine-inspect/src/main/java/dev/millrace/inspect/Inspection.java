package dev.millrace.inspect;

import dev.millrace.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known of a model: what its file says, what a session made of it, what runs took.
 *
 * @param title what the user called the model
 * @param profile the times of runs by node, or null where the model was not run
 * @param timeline the timeline of the last run, or null where the model was not run
 */
public record Inspection(
        String title,
        ModelFacts facts,
        Session session,
        @Nullable Profile profile,
        @Nullable RunTimeline timeline) {}
