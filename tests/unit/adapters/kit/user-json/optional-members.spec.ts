import { expect } from 'chai';
import { decodeNewUser } from '../../../../../adapters/http/api/accounts/create-user-route.ts';
import { readJsonObject } from '../../../../../adapters/kit/exact-json.ts';
import {
  withId,
  withoutPasswordTime,
  withPasswordTime,
} from '../../../../../adapters/kit/user-json/optional-members.ts';
import { asProperties, userJson } from '../../../../../adapters/kit/user-json/user-writer.ts';
import { UserId } from '../../../../../domain/user.ts';
import { rightOf } from '../../../../../sdk/contract/outcomes.ts';
import { now, verified } from '../../../../support/users.ts';

const write = withPasswordTime(userJson);
const withProperties = (json: string) => ({ ...verified, properties: asProperties(json) });

describe('the time of the password in responses', () => {
  it('is that of the creation until the password is changed', () => {
    expect(JSON.parse(write(verified))).to.include({ passwordTime: verified.creationTime });
    const changed = { ...verified, passwordTime: now };
    expect(JSON.parse(write(changed))).to.deep.include({
      passwordTime: now,
      email: JSON.parse(userJson(verified)).email,
    });
  });

  it('keeps custom properties as they were written', () => {
    expect(write(withProperties('{"n":1.0,"s":"\\u0041"}'))).to.match(/"passwordTime":\d+,"n":1\.0,"s":"\\u0041"\}$/);
  });

  it('replaces a custom property of its name, however that is written', () => {
    for (const name of ['passwordTime', 'password\\u0054ime']) {
      const json = write(withProperties(`{"a":1,"${name}":"mine","b":2.0}`));
      expect(json).to.match(/"passwordTime":\d+,"a":1,"b":2\.0\}$/);
    }
    expect(write(withProperties('{"passwordTime":"mine"}'))).to.match(/"passwordTime":\d+\}$/);
    expect(write(withProperties('{"a":"passwordTime"}'))).to.match(/"passwordTime":\d+,"a":"passwordTime"\}$/);
  });

  it('is ignored in bodies', () => {
    const body = rightOf(
      readJsonObject('{"email":{"address":"jane@example.com"},"password":"p","passwordTime":1,"a":2}'),
    );
    expect(rightOf(decodeNewUser(withoutPasswordTime(body))).properties).to.equal('{"a":2}');
    expect(rightOf(decodeNewUser(body)).properties).to.equal('{"passwordTime":1,"a":2}');
  });
});

describe('the id in responses', () => {
  const writeId = withId(userJson);

  it('takes the place of a custom property of its name', () => {
    const id = rightOf(UserId.decode('usr_1'));
    expect(writeId({ ...withProperties('{"id":"other","a":1}'), id })).to.match(/"id":"usr_1","a":1\}$/);
  });

  it('is missing for a user without one, also as a custom property, which may be the id of another user', () => {
    for (const name of ['id', '\\u0069d']) {
      expect(writeId(withProperties(`{"a":1.0,"${name}":"usr_1"}`))).to.match(/,"a":1\.0\}$/);
      expect(JSON.parse(writeId(withProperties(`{"a":1,"${name}":"usr_1"}`)))).to.not.have.property('id');
      expect(JSON.parse(writeId(withProperties(`{"${name}":"usr_1"}`)))).to.not.have.property('id');
    }
  });
});
