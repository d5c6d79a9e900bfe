package dev.laneway.keda;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayList;
import java.util.List;

/**
 * The streams that clients have open to a watch. They have no threads: who has gone is taken out by its call. A stream
 * is told that the group is active whenever that becomes known, and never that it is not. Thread-safe.
 */
final class OpenStreams {
    private static final int MOST = 16;

    private final List<OpenStream> open = new ArrayList<>();
    private boolean isKnown;
    private boolean hasEnded;

    private static final class OpenStream {
        private final ServerCallStreamObserver<byte[]> client;
        private final boolean isOfActivity;
        private boolean isTold;

        OpenStream(ServerCallStreamObserver<byte[]> client, boolean isOfActivity) {
            this.client = client;
            this.isOfActivity = isOfActivity;
        }

        void tell(boolean isKnown) {
            if (!isOfActivity) {
                return;
            }
            if (!isKnown) {
                isTold = false;
            } else if (!isTold && client.isReady() && !client.isCancelled()) {
                isTold = true;
                client.onNext(ScalerMessages.active(true));
            }
        }
    }

    /**
     * Takes a stream.
     *
     * @param isOfActivity whether it is told of activity; otherwise it is just kept open
     * @return false if there are too many
     */
    synchronized boolean add(ServerCallStreamObserver<byte[]> client, boolean isOfActivity) {
        if (open.size() >= MOST) {
            return false;
        }
        OpenStream stream = new OpenStream(client, isOfActivity);
        client.setOnCancelHandler(() -> remove(stream));
        if (hasEnded) {
            end(client, "the scaler no longer watches the group: ask again");
        } else {
            open.add(stream);
            stream.tell(isKnown);
        }
        return true;
    }

    private synchronized void remove(OpenStream stream) {
        open.remove(stream);
    }

    synchronized boolean isEmpty() {
        return open.isEmpty();
    }

    /** Tells all whether what is wanted is known. */
    synchronized void tell(boolean known) {
        isKnown = known;
        open.forEach(stream -> stream.tell(known));
    }

    /** Ends all with UNAVAILABLE, upon which clients come again. */
    synchronized void end(String why) {
        hasEnded = true;
        open.forEach(stream -> end(stream.client, why));
        open.clear();
    }

    private static void end(ServerCallStreamObserver<byte[]> client, String why) {
        if (!client.isCancelled()) {
            client.onError(Status.UNAVAILABLE.withDescription(why).asRuntimeException());
        }
    }
}
