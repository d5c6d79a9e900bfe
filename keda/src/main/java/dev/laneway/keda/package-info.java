/**
 * An external scaler for KEDA, {@code ./laneway keda}: tells over gRPC how many members a scaling policy wants for the
 * groups that ScaledObjects name. It changes nothing itself.
 *
 * <p>{@code ScalerServer} has the sockets, {@code ScalerService} the calls, {@code ScalerMessages} their form;
 * {@code GroupWatches} has a {@code GroupWatch} for each ScaledObject. Uses packages {@code ops.control},
 * {@code ops.scale} and {@code cli.watch}.
 */
@NullMarked
package dev.laneway.keda;

import org.jspecify.annotations.NullMarked;
