package dev.millrace.text.pattern;

import java.util.List;

/** A part of a regular expression. */
public sealed interface Part {
    /** How few chars it matches. */
    long least();

    /** How many chars it matches at most; {@link #ENDLESS} and more where there is no bound. */
    long most();

    long ENDLESS = Integer.MAX_VALUE;

    record Literal(int point) implements Part {
        @Override
        public long least() {
            return Character.charCount(point);
        }

        @Override
        public long most() {
            return least();
        }
    }

    record OneOf(CharSet set) implements Part {
        @Override
        public long least() {
            return 1;
        }

        @Override
        public long most() {
            return 2;
        }
    }

    record Sequence(List<Part> parts) implements Part {
        @Override
        public long least() {
            return Math.min(ENDLESS, parts.stream().mapToLong(Part::least).sum());
        }

        @Override
        public long most() {
            return Math.min(ENDLESS, parts.stream().mapToLong(Part::most).sum());
        }
    }

    record Choice(List<Part> parts) implements Part {
        @Override
        public long least() {
            return parts.stream().mapToLong(Part::least).min().orElse(0);
        }

        @Override
        public long most() {
            return parts.stream().mapToLong(Part::most).max().orElse(0);
        }
    }

    record Repeated(Part part, int fewest, int times, boolean lazy) implements Part {
        @Override
        public long least() {
            return Math.min(ENDLESS, part.least() * fewest);
        }

        @Override
        public long most() {
            return times == ENDLESS && part.most() > 0 ? ENDLESS : Math.min(ENDLESS, part.most() * times);
        }
    }

    /** A part whose first match is its only one. */
    record Atomic(Part part) implements Part {
        @Override
        public long least() {
            return part.least();
        }

        @Override
        public long most() {
            return part.most();
        }
    }

    /** A condition on what lies before a place or behind it. */
    record Look(Part part, boolean behind, boolean negated) implements Part {
        @Override
        public long least() {
            return 0;
        }

        @Override
        public long most() {
            return 0;
        }
    }

    /** A condition on a place. */
    record At(Place place) implements Part {
        @Override
        public long least() {
            return 0;
        }

        @Override
        public long most() {
            return 0;
        }
    }
}
