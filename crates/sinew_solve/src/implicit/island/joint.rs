//! The matrix of an island whose bodies touch, as one.
//!
//! Contacts press by springs far stiffer than flesh. Sweeps over each body's own rows know nothing of what stands opposite: two faces that lie on each other
//! then resist moving together by twice that stiffness, and conjugate gradients take twice as many iterations to learn otherwise.

use super::{Member, Spring, ends};
use crate::BodyContact;
use crate::implicit::ssor::Layout;
use crate::implicit::{BlockMatrix, Implicit};

/// Rows of all members, one after the other, with a block for every two points that a contact of the step connects.
#[derive(Default)]
pub(in crate::implicit) struct Joint {
    matrix: BlockMatrix,
    layout: Layout,
    /// What it was last laid out for.
    members: Vec<usize>,
    connected: Vec<[u32; 2]>,
}

impl Joint {
    /// Makes room for all contacts that a step may have, if there are any.
    pub(in crate::implicit) fn lay_out<S: Implicit>(&mut self, members: &[Member<'_, S>], contacts: &[BodyContact]) {
        if contacts.is_empty() {
            return;
        }
        let mut connected = Vec::with_capacity(6 * contacts.len());
        for contact in contacts {
            for_each_two(members, contact, |row, column, _| connected.push([row as u32, column as u32]));
        }
        let numbers = members.iter().map(|member| member.number);
        if self.connected == connected && numbers.clone().eq(self.members.iter().copied()) {
            return;
        }
        self.members = numbers.collect();
        self.connected.clone_from(&connected);
        connected.sort_unstable();
        connected.dedup();
        let mut columns = Vec::new();
        let mut more = connected.as_slice();
        let rows = members.iter().flat_map(|member| (0..member.range().len()).map(move |row| (member, row)));
        self.matrix.rebuild(rows.map(|(member, row)| {
            let own = member.scratch.unknowns().matrix.columns_of(row);
            let count = more.iter().take_while(|two| two[0] as usize == member.first + row).count();
            let (of_row, rest) = more.split_at(count);
            more = rest;
            columns.clear();
            columns.extend(own.iter().map(|column| column + member.first as u32));
            columns.extend(of_row.iter().map(|two| two[1]));
            columns.sort_unstable();
            columns.dedup();
            columns.clone().into_iter()
        }));
        self.layout.rebuild(&self.matrix);
    }

    /// Takes the members' matrices, which have the diagonal blocks of springs already, and what springs put beside the diagonal.
    pub(in crate::implicit) fn fill<S: Implicit>(
        &mut self,
        members: &[Member<'_, S>],
        contacts: &[BodyContact],
        springs: &[Spring],
    ) {
        let Self { matrix, layout, .. } = self;
        for member in members {
            matrix.set_rows(member.first, &member.scratch.unknowns().matrix);
        }
        for spring in springs {
            for_each_two(members, &contacts[spring.contact], |row, column, weight| {
                // A point that a contact has on both of its sides.
                let times = if row == column { 2.0 * weight } else { weight };
                if let Some(block) = matrix.block_mut(row, column) {
                    *block += spring.matrix.to_mat() * times;
                }
            });
        }
        layout.fill(matrix, |row| {
            let member = &members[members.partition_point(|member| member.first <= row) - 1];
            member.scratch.unknowns().constraints.is_pinned(row - member.first)
        });
    }

    pub(in crate::implicit) fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// Calls `f` with every two points of a contact, the later one first, and the product of their weights.
fn for_each_two<S: Implicit>(members: &[Member<'_, S>], contact: &BodyContact, mut f: impl FnMut(usize, usize, f64)) {
    let all = ends(members, contact)
        .filter(|(_, _, weight)| *weight != 0.0)
        .map(|(member, dof, weight)| (members[member].first + dof, weight));
    for (number, (a, of_a)) in all.clone().enumerate() {
        for (b, of_b) in all.clone().skip(number + 1) {
            f(a.max(b), a.min(b), of_a * of_b);
        }
    }
}
